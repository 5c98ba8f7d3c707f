"""Every ending of a command: its message, its stream and its exit code."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from firstlight import __version__
from firstlight.cli import main
from firstlight.errors import ArtifactError, FirstlightError, LogError, SettingsError, UsageError


def raising(problem: BaseException) -> Callable[[list[str]], object]:
    def command(_arguments: list[str]) -> object:
        raise problem

    return command


def test_help_lists_every_command_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert [name for name, lazy in main.COMMANDS.items() if f"{name} {lazy.summary}" not in out] == []


def test_summaries_fit_one_line_of_eighty_columns() -> None:
    assert {name for name, lazy in main.COMMANDS.items() if len(lazy.summary) > 68} == set()


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_of_the_table_exists_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, _, attribute = main.COMMANDS[name].target.partition(":")
    assert getattr(importlib.import_module(module), attribute).name == name
    assert main.run([name, "--help"]) == 0
    assert f"Usage: firstlight {name}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


def test_no_command_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([]) == 2
    captured = capsys.readouterr()
    assert "Commands:" in captured.out + captured.err


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("chek", "`chek` is not a command. Did you mean `check`? `firstlight --help` lists them."),
        ("EXPLAIN", "Did you mean `explain`?"),
        ("train.py", "To check that script: `firstlight check train.py`."),
        ("zzzzzz", "`zzzzzz` is not a command. `firstlight --help` lists them."),
    ],
)
def test_an_unknown_command(word: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([word]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_an_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["explain", "FL203", "--nope"]) == 2
    assert "--nope" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (UsageError("m"), 2),
        (SettingsError("m"), 2),
        (ArtifactError("m"), 2),
        (LogError("m"), 2),
        (FirstlightError("m"), 2),
    ],
)
def test_our_errors_are_one_line(problem: Exception, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([], raising(problem)) == code
    assert capsys.readouterr() == ("", "firstlight: m\n")


def test_a_click_error_never_reads_as_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([], raising(click.ClickException("cannot write"))) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), click.Abort()])
def test_interrupted(problem: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([], raising(problem)) == 130
    assert capsys.readouterr() == ("", "firstlight: interrupted\n")


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1), ("text", 0)])
def test_a_command_may_return_its_code(returned: object, code: int) -> None:
    assert main.run([], lambda _arguments: returned) == code


def test_a_fault_of_ours_is_one_line_and_a_saved_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(main.DEBUG, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main.run([], raising(ValueError("odd\nthing"))) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "a fault of firstlight, not of your program: ValueError: odd thing" in line
    saved = re.search(r"traceback is in (.+)\.$", line)
    assert saved is not None
    text = Path(saved.group(1)).read_text(encoding="utf-8")
    assert f"firstlight {__version__}" in text
    assert "Traceback (most recent call last)" in text


@pytest.mark.parametrize("folder_exists", [True, False])
def test_the_traceback_is_shown_when_asked_for_or_when_it_cannot_be_saved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder_exists: bool
) -> None:
    monkeypatch.setenv(main.DEBUG, "1" if folder_exists else "0")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path if folder_exists else tmp_path / "absent"))
    assert main.run([], raising(ValueError("odd"))) == 3
    assert "Traceback (most recent call last)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["schema", "event"], ["checks"], ["--help"]])
def test_a_closed_pipe_is_no_fault(arguments: list[str]) -> None:
    """A reader that leaves at once."""
    script = f"from firstlight.cli.main import main; main({arguments!r})"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == main.EXIT_NOBODY_READS


def test_shells_can_complete() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "from firstlight.cli.main import main; main()"],
        env={**os.environ, main.COMPLETION: "bash_complete", "COMP_WORDS": "firstlight exp", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "explain" in found.stdout


def test_no_colour_reaches_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["checks"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_the_module_is_the_command() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "firstlight", "chek"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert "Did you mean `check`?" in found.stderr


@pytest.mark.parametrize("verb", ["check", "report", "replay", "diagnose", "lint", "watch"])
def test_a_name_no_file_can_have_is_the_users_mistake(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([verb, "a" * 5000]) == 2
    said = capsys.readouterr().err
    assert "leads to no file: File name too long" in said
    assert len(said) < 300
