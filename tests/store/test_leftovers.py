"""What a killed command leaves is collected; what the living use, and what is somebody else's, is not."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.store import leftovers

HOLD = """
import sys, time
from pathlib import Path
from firstlight.store import leftovers
with leftovers.in_use(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one/view/work/work").mkdir(parents=True)
    return tmp_path / "one"


def test_a_folder_in_use_is_left_and_a_killed_owners_is_collected(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, folder], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "held\n"
        leftovers.collect([folder], leftovers.remove)
        assert folder.exists()
        owner.send_signal(signal.SIGKILL)
    leftovers.collect([folder], leftovers.remove)
    assert not folder.exists()


def test_a_folder_that_was_let_go_of_is_not_collected(folder: Path) -> None:
    with leftovers.in_use(folder):
        pass
    leftovers.collect([folder], leftovers.remove)
    assert folder.exists()


def test_what_has_no_mark_or_is_a_link_or_is_gone_is_somebody_elses(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "plain").mkdir()
    (folder / leftovers.MARK).touch()
    leftovers.collect([tmp_path / "link", tmp_path / "plain", tmp_path / "gone"], leftovers.remove)
    assert {path.name for path in tmp_path.iterdir()} == {"link", "one", "plain"}
    assert folder.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user's")
def test_another_users_folder_is_left(folder: Path) -> None:
    (folder / leftovers.MARK).touch()
    os.chown(folder, 12345, 12345)
    leftovers.collect([folder], leftovers.remove)
    assert folder.exists()


def test_what_even_the_owner_may_not_look_into_is_removed(folder: Path) -> None:
    (folder / "view/work/work").chmod(0)
    leftovers.remove(folder)
    assert not folder.exists()
