"""Which program a replay runs: one that a run of this user recorded here, or none without the user's word."""

from pathlib import Path

import pytest

from firstlight.errors import UsageError
from firstlight.guard.replay.replaying import is_own, recorded_target
from firstlight.records.artifact import ARTIFACT_SCHEMA, Manifest, Program
from firstlight.store import artifacts
from firstlight.store.artifacts import Artifact


def left_by_a_run(program: Program) -> Artifact:
    manifest = Manifest(
        schema=ARTIFACT_SCHEMA,
        run_id="r",
        step=3,
        check="FL670 turns-nonfinite",
        summary="",
        created="",
        program=program,
    )
    folder = Path.cwd() / ".firstlight" / "runs" / "r" / "artifacts" / "3-x"
    return artifacts.read(artifacts.write(folder, manifest, []))


@pytest.fixture
def artifact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Artifact:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    return left_by_a_run(Program(argv=("--lr", "3"), script="train.py"))


def test_what_a_run_left_here_is_ones_own(artifact: Artifact) -> None:
    assert is_own(artifact)
    assert recorded_target(artifact).words == ("train.py", "--lr", "3")


def test_a_module_is_run_as_one(artifact: Artifact) -> None:
    target = recorded_target(left_by_a_run(Program(argv=("--lr", "3"), module="package.train")))
    assert target.plain[1:] == ("-m", "package.train", "--lr", "3")


def test_a_record_names_a_file_and_never_a_program_of_the_machine(artifact: Artifact) -> None:
    with pytest.raises(UsageError, match="no file or program named sh"):
        recorded_target(left_by_a_run(Program(argv=("-c", "true"), script="sh")))


@pytest.mark.parametrize("place", ["downloads", ".firstlight/runs/other/artifacts"])
def test_what_was_moved_here_is_not_ones_own(artifact: Artifact, tmp_path: Path, place: str) -> None:
    elsewhere = tmp_path / place / "3-x"
    elsewhere.parent.mkdir(parents=True)
    artifact.folder.rename(elsewhere)
    assert not is_own(artifacts.read(elsewhere))


def test_nor_what_was_changed_since(artifact: Artifact) -> None:
    manifest = artifact.folder / artifacts.MANIFEST
    manifest.write_bytes(manifest.read_bytes().replace(b'"3"', b'"4"'))
    assert not is_own(artifacts.read(artifact.folder))


def test_nor_what_lies_among_the_runs_of_another_directory(
    artifact: Artifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert artifact.sealed
    assert not is_own(artifact)
