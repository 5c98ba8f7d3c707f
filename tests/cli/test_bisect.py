"""What lies between good and bad: the run for each choice of differences, whatever kind they are of."""

import json
import subprocess
from pathlib import Path

import pytest

from firstlight.cli.bisect import _space
from firstlight.errors import UsageError


def _git(folder: Path, *words: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(
        ["git", *names, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_a_configuration_between_two_files_takes_the_place_of_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").touch()
    Path("good.json").write_text('{"opt": {"lr": 0.1}, "wd": 0}', encoding="utf-8")
    Path("bad.json").write_text('{"opt": {"lr": 9.0}, "wd": 1}', encoding="utf-8")
    with _space(("good.json", "bad.json", "train.py", "--config", "{}"), False, tmp_path) as space:
        assert space.names == ("opt.lr", "wd")
        run = space.run(("wd",))
        assert run is not None
        assert json.loads(Path(run.target.words[-1]).read_text(encoding="utf-8")) == {"opt": {"lr": 0.1}, "wd": 1}
        again = space.run(("wd",))
        assert again is not None
        assert again.identity == run.identity
        good = space.run(())
        assert good is not None
        assert good.identity != run.identity


def test_arguments_go_behind_those_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").touch()
    with _space(("--lr 1", "--lr 2 --amp", "train.py", "--epochs", "3"), False, tmp_path) as space:
        assert space.names == ("--lr", "--amp")
        run = space.run(("--amp",))
        assert run is not None
        assert run.target.words == ("train.py", "--epochs", "3", "--lr", "1", "--amp")


def test_a_commit_is_run_from_its_own_files_and_nothing_here_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _git(tmp_path, "init", "-q")
    commits = []
    for number in range(4):
        Path("train.py").write_text(f"print({number})\n", encoding="utf-8")
        _git(tmp_path, "add", "train.py")
        _git(tmp_path, "commit", "-qm", f"number {number}")
        commits.append(_git(tmp_path, "rev-parse", "HEAD"))
    Path("train.py").write_text("mine\n", encoding="utf-8")
    with _space((commits[0], "HEAD", "train.py"), False, tmp_path) as space:
        assert space.names == tuple(commits[1:])
        assert space.told[commits[2]].endswith(" number 2")
        folders = []
        for chosen, printed in ((space.names[:2], 2), ((), 0)):
            run = space.run(chosen)
            assert run is not None
            assert run.cwd is not None
            folders.append(run.cwd)
            assert (run.cwd / "train.py").read_text(encoding="utf-8") == f"print({printed})\n"
        assert space.run((commits[2],)) is None, "a commit comes with those before it"
    assert not any(folder.exists() for folder in folders)
    assert Path("train.py").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("HEAD", "HEAD", "train.py"), "neither a configuration file"),
        (("good.json", "bad.toml", "train.py", "{}"), "have different formats"),
        (("good.json", "absent.json", "train.py", "{}"), "`absent.json` is not a configuration file"),
        (("HEAD", "bad.toml", "train.py", "{}"), "`HEAD` is not a configuration file"),
    ],
)
def test_ends_that_do_not_belong_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").touch()
    Path("good.json").write_text("{}", encoding="utf-8")
    Path("bad.toml").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=says), _space(words, False, tmp_path):
        pass
