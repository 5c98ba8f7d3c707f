"""Artifacts that came from somebody else, replayed by the real command: nothing they name is run unasked."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tests.conftest import Run

from firstlight.records.artifact import ARTIFACT_SCHEMA, Manifest, Program

SCRIPT = (
    "import pathlib, sys\npathlib.Path('ran').write_text(repr(sys.argv))\nprint('argv', sys.argv[1:], flush=True)\n"
)


def foreign(folder: Path, program: Program) -> str:
    """Among the runs of the directory, as a clone or an archive may bring it."""
    artifact = folder / ".firstlight" / "runs" / "20260101-000000-abcdef" / "artifacts" / "3-x"
    artifact.mkdir(parents=True)
    manifest = Manifest(
        schema=ARTIFACT_SCHEMA, run_id="r", step=3, check="FL670 x", summary="", created="", program=program
    )
    (artifact / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    (artifact / "seal").write_bytes(b"0" * 64)
    (folder / "train.py").write_text(SCRIPT)
    return str(artifact.relative_to(folder))


def test_a_command_of_the_machine_is_never_taken_from_an_artifact(command: Run, tmp_path: Path) -> None:
    artifact = foreign(tmp_path, Program(argv=("-c", f"touch {tmp_path}/ran"), script="sh"))
    for words in ((), ("--trust",)):
        done = command("replay", artifact, *words)
        assert done.returncode == 2
        assert "no file or program named sh" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_script_is_not_run_unasked_and_its_command_is_shown_whole(command: Run, tmp_path: Path) -> None:
    artifact = foreign(tmp_path, Program(argv=("--out", "a b\x1b[2J"), script="train.py"))
    done = command("replay", artifact)
    assert done.returncode == 2
    assert "train.py --out 'a b\\x1b[2J'" in done.stderr
    assert "--trust" in done.stderr
    assert "\x1b" not in done.stderr
    assert not (tmp_path / ".firstlight" / "runs").joinpath("original").exists()


@pytest.mark.parametrize(
    ("words", "given"), [(("--trust",), "['--lr', '3']"), (("--", "python", "train.py", "-x"), "['-x']")]
)
def test_with_the_users_word_it_is_run_contained(
    command: Run, tmp_path: Path, words: tuple[str, ...], given: str
) -> None:
    artifact = foreign(tmp_path, Program(argv=("--lr", "3"), script="train.py"))
    done = command("replay", artifact, "--show-output", *words)
    assert f"argv {given}" in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("answer", "runs"), [(b"n\n", False), (b"y\n", True)])
def test_on_a_terminal_the_user_is_asked(tmp_path: Path, answer: bytes, runs: bool) -> None:
    artifact = foreign(tmp_path, Program(argv=("--lr", "3"), script="train.py"))
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    done = subprocess.run(
        [sys.executable, "-m", "firstlight", "replay", artifact, "--format", "json"],
        cwd=tmp_path,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        timeout=200,
        check=False,
    )
    os.close(theirs)
    assert done.returncode == 2
    assert bool(done.stdout) is runs
    assert b"train.py --lr 3" in os.read(ours, 1 << 16)
    os.close(ours)


def test_links_in_an_artifact_are_not_followed(command: Run, tmp_path: Path) -> None:
    artifact = tmp_path / foreign(tmp_path, Program(argv=(), script="train.py"))
    (artifact / "manifest.json").rename(tmp_path / "elsewhere.json")
    (artifact / "manifest.json").symlink_to(tmp_path / "elsewhere.json")
    (artifact.parent / "link").symlink_to(artifact)
    for named in (artifact, artifact.parent / "link"):
        done = command("replay", str(named), "--trust")
        assert done.returncode == 2
        assert "is a link" in done.stderr
