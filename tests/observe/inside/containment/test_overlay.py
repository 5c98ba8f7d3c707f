"""The overlay must be indistinguishable from the file system, and the file system must stay as it was."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.observe.inside.containment import twin

from firstlight.observe.inside.containment.overlay import Overlay, held_back


def test_a_random_sequence_of_operations_looks_real_and_leaves_no_trace(tmp_path: Path) -> None:
    held, free = tmp_path / "held", tmp_path / "free"
    for number in range(twin.EXAMPLES * 4):  # shrinking needs fresh twins too
        twin.plant(held / str(number))
    before = twin.tree(held)
    program = [sys.executable, twin.__file__, str(held), str(free)]
    run = subprocess.run(program, cwd=held, capture_output=True, text=True, check=False)
    shutil.rmtree(held / ".firstlight")
    assert twin.tree(held) == before
    assert run.returncode == 0, run.stderr[-6000:]


@pytest.fixture
def overlay(tmp_path: Path) -> Overlay:
    twin.plant(tmp_path / "project")
    return Overlay(tmp_path / "scratch", ())


def test_before_anything_is_written_a_path_is_answered_as_it_is(overlay: Overlay) -> None:
    assert overlay.paths.seen("some/./path") == "some/./path"
    assert overlay.layers.untouched()


def test_a_write_through_a_link_is_kept_where_the_link_leads(overlay: Overlay, tmp_path: Path) -> None:
    Path(overlay.opened(f"{tmp_path}/project/link/new.txt", os.O_WRONLY | os.O_CREAT)).write_text("x")
    assert held_back(overlay) == [f"{tmp_path}/project/d/new.txt"]
    assert Path(overlay.paths.seen(f"{tmp_path}/project/d/new.txt")).read_text() == "x"


def test_a_link_from_a_passed_folder_does_not_lead_past_the_overlay(tmp_path: Path) -> None:
    twin.plant(tmp_path / "project")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/link").symlink_to(tmp_path / "project")
    overlay = Overlay(tmp_path / "scratch", (tmp_path / "cache",))
    assert overlay.opened(f"{tmp_path}/cache/link/a.txt", os.O_WRONLY).startswith(overlay.layers.files)
    assert overlay.opened(f"{tmp_path}/cache/x", os.O_WRONLY | os.O_CREAT) == f"{tmp_path}/cache/x"


def test_a_second_overlay_on_the_same_root_sees_the_same(overlay: Overlay, tmp_path: Path) -> None:
    Path(overlay.opened(f"{tmp_path}/project/a.txt", os.O_RDWR)).write_text("changed")
    overlay.remove(f"{tmp_path}/project/d/b.txt")
    other = Overlay(tmp_path / "scratch", ())
    assert Path(other.paths.seen(f"{tmp_path}/project/a.txt")).read_text() == "changed"
    assert other.layers.entries(f"{tmp_path}/project/d") == ["e"]


def test_a_file_in_the_place_of_a_folder_has_no_entries(overlay: Overlay, tmp_path: Path) -> None:
    folder = f"{tmp_path}/project/d/e"
    overlay.remove(f"{folder}/c.txt")
    overlay.rmdir(folder)
    Path(overlay.opened(folder, os.O_WRONLY | os.O_CREAT)).touch()
    with pytest.raises(NotADirectoryError):
        overlay.layers.entries(folder)


def test_a_folder_taken_over_is_as_it_was_and_stays_apart_from_then_on(tmp_path: Path) -> None:
    overlay, shared = _beside_shared(tmp_path, most_bytes=1 << 20)
    (shared / "log.csv").write_text("a,b\n1,2\n")
    (shared / "later.csv").write_text("of the original alone")
    assert Path(overlay.paths.seen(f"{shared}/log.csv")).read_text() == "a\n"
    assert sorted(overlay.layers.entries(str(shared))) == ["inner", "log.csv"]
    Path(overlay.opened(f"{shared}/inner/own.csv", os.O_WRONLY | os.O_CREAT)).write_text("of the copy alone")
    with Path(overlay.opened(f"{shared}/log.csv", os.O_WRONLY | os.O_APPEND)).open("a") as file:
        file.write("3\n")
    assert Path(overlay.paths.seen(f"{shared}/log.csv")).read_text() == "a\n3\n"
    assert (shared / "log.csv").read_text() == "a,b\n1,2\n"
    assert not (shared / "inner/own.csv").exists()


def test_of_a_folder_too_large_to_take_over_only_what_changes_is_copied(tmp_path: Path) -> None:
    overlay, shared = _beside_shared(tmp_path, most_bytes=1)
    assert overlay.paths.seen(f"{shared}/log.csv") == f"{shared}/log.csv"
    Path(overlay.opened(f"{shared}/log.csv", os.O_WRONLY | os.O_TRUNC)).write_text("of the copy alone")
    assert (shared / "log.csv").read_text() == "a\n"


def test_a_copy_of_a_copy_begins_with_its_files(tmp_path: Path) -> None:
    overlay, shared = _beside_shared(tmp_path, most_bytes=1 << 20)
    overlay.branch(tmp_path / "second")
    overlay.take_over(shared, most_bytes=1 << 20)
    (shared / "log.csv").write_text("later")
    assert Path(overlay.paths.seen(f"{shared}/log.csv")).read_text() == "a\n"
    assert overlay.paths.seen(f"{shared}/log.csv").startswith(f"{tmp_path}/second/")


def _beside_shared(tmp_path: Path, most_bytes: int) -> tuple[Overlay, Path]:
    shared = tmp_path / "shared"
    (shared / "inner").mkdir(parents=True)
    (shared / "log.csv").write_text("a\n")
    overlay = Overlay(tmp_path / "scratch", (shared,))
    overlay.branch(tmp_path / "first")
    overlay.take_over(shared, most_bytes)
    return overlay, shared


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_the_user_may_not_write_is_refused(overlay: Overlay, tmp_path: Path) -> None:
    (tmp_path / "project/d").chmod(0o555)
    with pytest.raises(PermissionError):
        overlay.opened(f"{tmp_path}/project/d/new", os.O_WRONLY | os.O_CREAT)
