"""Where the output cannot go, or the working directory is gone: one line at most, and the right exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = f"{sys.executable} -m firstlight"


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", line], cwd=cwd, capture_output=True, text=True, timeout=100, check=False)


def test_nobody_reads(tmp_path: Path) -> None:
    done = shell(f"({COMMAND} checks; echo $? >&2) | true", tmp_path)
    assert done.stderr in ("141\n", "0\n")  # it may have been done before the reader left


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_stdout_is_not_our_fault(tmp_path: Path) -> None:
    done = shell(f"{COMMAND} checks > /dev/full", tmp_path)
    assert (done.returncode, done.stderr) == (2, "firstlight: no space left where the output goes.\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_no_exit_code(tmp_path: Path, closed: str) -> None:
    (tmp_path / "train.py").write_text("import torch.nn.functional as F\n\n\ndef f(x):\n    return F.softmax(x)\n")
    done = shell(f"{COMMAND} lint --strict train.py {closed}", tmp_path)
    assert done.returncode == 1
    assert "Error" not in done.stderr


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = shell(f"cd gone && rmdir ../gone && {COMMAND} lint x.py", tmp_path)
    assert done.returncode == 2
    assert "the working directory no longer exists" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "firstlight", "lint", os.fsdecode(b"\xff\x1b[2J.py")],
        cwd=tmp_path,
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr
    assert b"does not exist" in done.stderr
