"""Disks with little or nothing left, small file systems of their own: a training saves what it saves without us."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = """
import hashlib, pathlib, torch
torch.manual_seed(0)
model = torch.nn.Linear(256, 256)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for step in range(60):
    optimizer.zero_grad()
    model(torch.randn(8, 256)).square().mean().backward()
    optimizer.step()
    try:
        torch.save(model.state_dict(), f"{step}.pt")
        print(step, hashlib.sha256(pathlib.Path(f"{step}.pt").read_bytes()).hexdigest()[:8])
    except Exception:
        pathlib.Path(f"{step}.pt").unlink(missing_ok=True)
        print(step, "no room")
"""


def may_mount() -> bool:
    words = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not may_mount(), reason="this machine lets nobody mount a small disk")


def on_disk(folder: Path, kilobytes: int, command: str, fill: str = "") -> subprocess.CompletedProcess[str]:
    script = (
        f'cd "$1" && mount -t tmpfs -o size={kilobytes}k tmpfs "$1" && cd "$1" && cat > train.py; {fill} exec {command}'
    )
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", folder],
        input=TRAIN,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


PLAIN = f"{sys.executable} train.py"
GUARDED = f"{sys.executable} -m firstlight run --no-check train.py"
CHECKED = f"{sys.executable} -m firstlight run train.py"


def test_on_a_disk_that_fills_the_same_files_are_saved(tmp_path: Path) -> None:
    plain, guarded = (on_disk(tmp_path, 4_000, command) for command in (PLAIN, GUARDED))
    assert "no room" in plain.stdout
    assert guarded.stdout == plain.stdout, guarded.stderr
    assert guarded.returncode == 0
    assert "too little left" in guarded.stderr
    assert "60 steps watched" in guarded.stderr


@pytest.mark.parametrize("command", [GUARDED, CHECKED])
def test_on_a_full_disk_a_program_starts(tmp_path: Path, command: str) -> None:
    done = on_disk(tmp_path, 64, command, fill="head -c 1000000 /dev/zero > filler 2>/dev/null;")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("no room") == 60
