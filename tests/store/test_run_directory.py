from pathlib import Path

import pytest

from firstlight.errors import UsageError
from firstlight.store.run_directory import FOLDER, RunDirectory


def made(parent: Path, *names: str) -> None:
    for name in names:
        (parent / FOLDER / "runs" / name).mkdir(parents=True)
        (parent / FOLDER / "runs" / name / "events.ndjson").touch()


def test_a_run_is_found_by_path_id_beginning_or_age(tmp_path: Path) -> None:
    made(tmp_path, "20260101-a", "20260102-a", "20260102-ab")
    find = RunDirectory.find
    assert find(tmp_path, None).id == "20260102-ab"
    assert find(tmp_path, "20260101").id == "20260101-a"
    assert find(tmp_path, "20260102-a").id == "20260102-a"
    assert find(Path("elsewhere"), str(tmp_path / FOLDER / "runs" / "20260101-a")).id == "20260101-a"


def test_what_is_not_there_or_not_clear_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no run below"):
        RunDirectory.find(tmp_path, None)
    made(tmp_path, "20260101-a", "20260101-b")
    with pytest.raises(UsageError, match="neither a run directory"):
        RunDirectory.find(tmp_path, "x")
    with pytest.raises(UsageError, match="begins 2 runs"):
        RunDirectory.find(tmp_path, "2026")
