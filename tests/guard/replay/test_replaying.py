"""Which program a replay runs: the user's word, or an artifact of one's own runs; never another's."""

from pathlib import Path

import pytest

from firstlight.errors import UsageError
from firstlight.guard.replay.replaying import target_of
from firstlight.records.artifact import ARTIFACT_SCHEMA, Manifest, Program
from firstlight.store import artifacts
from firstlight.store.artifacts import Artifact


@pytest.fixture
def artifact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Artifact:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    (tmp_path / "other.py").write_text("")
    manifest = Manifest(
        schema=ARTIFACT_SCHEMA,
        run_id="r",
        step=3,
        check="FL670 turns-nonfinite",
        summary="",
        created="",
        program=Program(argv=("--lr", "3"), script="train.py"),
    )
    return artifacts.read(artifacts.write(tmp_path / ".firstlight" / "runs" / "r" / "artifacts" / "3-x", manifest, []))


def test_of_ones_own_the_recorded_program_is_run_with_its_arguments(artifact: Artifact) -> None:
    assert target_of(artifact, None, ()).words == ("train.py", "--lr", "3")


def test_the_users_word_goes_first(artifact: Artifact) -> None:
    assert target_of(artifact, "other.py", ("--lr", "4")).words == ("other.py", "--lr", "4")


def test_anothers_artifact_does_not_choose_the_program(artifact: Artifact, tmp_path: Path) -> None:
    elsewhere = tmp_path / "downloads" / "3-x"
    elsewhere.parent.mkdir()
    artifact.folder.rename(elsewhere)
    with pytest.raises(UsageError, match="--script"):
        target_of(artifacts.read(elsewhere), None, ())
    assert target_of(artifacts.read(elsewhere), "train.py", ()).words[0] == "train.py"
