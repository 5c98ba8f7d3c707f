import sys
from pathlib import Path

import pytest

from firstlight.errors import UsageError
from firstlight.observe.target import LAUNCH, START, launched, lend, parse, without_launcher


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    return tmp_path


def test_a_script_keeps_its_arguments(here: Path) -> None:
    target = parse(("train.py", "--lr", "1", "--help"), module=False)
    assert target.command == (sys.executable, *START, "train.py", "--lr", "1", "--help")
    assert (target.file, target.words) == ("train.py", ("train.py", "--lr", "1", "--help"))


def test_a_module(here: Path) -> None:
    target = parse(("pkg.train", "--x"), module=True)
    assert target.command == (sys.executable, *START, "-m", "pkg.train", "--x")


def test_an_interpreter_keeps_its_flags(here: Path) -> None:
    target = parse((sys.executable, "-u", "-X", "dev", "train.py", "a"), module=False)
    assert target.command == (sys.executable, "-u", "-X", "dev", *START, "train.py", "a")
    module = parse((sys.executable, "-m", "pkg", "a"), module=False)
    assert module.command == (sys.executable, *START, "-m", "pkg", "a")


@pytest.mark.parametrize(
    ("words", "module", "is_launched"),
    [
        (("torch.distributed.run", "--nproc_per_node", "2", "train.py", "--lr", "1"), True, True),
        ((sys.executable, "-m", "accelerate.commands.launch", "train.py", "--lr", "1"), False, True),
        ((sys.executable, "-u", "train.py", "--lr", "1"), False, False),
        (("train.py", "accelerate"), False, False),
    ],
)
def test_a_launcher_is_known(here: Path, words: tuple[str, ...], module: bool, is_launched: bool) -> None:
    target = parse(words, module)
    assert launched(target) is is_launched
    if is_launched:
        script = without_launcher(target)
        assert script is not None
        assert script.command == (sys.executable, *START, "train.py", "--lr", "1")
        assert not launched(script)


def test_a_launcher_of_a_module_names_no_script(here: Path) -> None:
    assert without_launcher(parse(("torch.distributed.run", "-m", "package.train"), module=True)) is None


def test_a_launcher_runs_as_it_is(here: Path) -> None:
    target = parse(("env", "python", "train.py"), module=False)
    assert target.command == (sys.executable, *LAUNCH, *target.plain)
    assert target.plain[1:] == ("python", "train.py")
    assert target.plain[0].endswith("env")
    assert target.file == "train.py"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to check"),
        (("trian.py",), "Did you mean train.py"),
        (("folder",), "__main__.py"),
        ((sys.executable, "-c", "1"), "names no script"),
        ((sys.executable, "gone.py"), "no file or program named gone.py"),
    ],
)
def test_a_mistake_is_a_sentence(here: Path, words: tuple[str, ...], said: str) -> None:
    (here / "folder").mkdir()
    with pytest.raises(UsageError, match=said):
        parse(words, module=False)


@pytest.mark.parametrize("verb", ["run", "diagnose"])
def test_a_command_without_a_script_names_itself(verb: str) -> None:
    with pytest.raises(UsageError, match=f"^nothing to {verb}. Name a script: `firstlight {verb} train.py`"):
        parse((), module=False, verb=verb)


def test_our_own_interpreter_needs_no_loan(tmp_path: Path) -> None:
    assert lend(sys.executable, tmp_path / "lent") is None
    assert not (tmp_path / "lent").exists()


def test_an_environment_without_firstlight_borrows_just_that(tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "other", with_pip=False)
    python = str(tmp_path / "other" / "bin" / "python")
    lent = lend(python, tmp_path / "lent")
    assert lent is not None
    assert sorted(path.name for path in Path(lent).iterdir()) == [
        "_firstlight_entry.py",
        "firstlight",
        "firstlight-0.dist-info",
        "msgspec",
    ]


def test_an_interpreter_that_cannot_borrow_is_a_sentence(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    with pytest.raises(UsageError, match="Install it there"):
        lend(str(fake), tmp_path / "lent")
