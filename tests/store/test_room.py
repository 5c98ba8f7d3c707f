import errno
import os
from pathlib import Path

import pytest

from firstlight.store.room import RESERVE_BYTES, SHARE_OF_FREE, claim, room


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A disk of which the test says what it has left, in `FREE`."""
    real = os.statvfs(tmp_path)

    def told(_path: Path) -> os.statvfs_result:
        fields = list(real)
        fields[1], fields[4] = 1, int(os.environ["FREE"])
        return os.statvfs_result(fields)

    monkeypatch.setattr(os, "statvfs", told)
    return tmp_path


@pytest.mark.parametrize(
    ("left", "given"),
    [
        (0, 0),
        (RESERVE_BYTES, 0),
        (RESERVE_BYTES + 10, 10),
        (4 * RESERVE_BYTES, int(4 * RESERVE_BYTES * SHARE_OF_FREE)),
    ],
)
def test_what_may_be_taken(free: Path, monkeypatch: pytest.MonkeyPatch, left: int, given: int) -> None:
    monkeypatch.setenv("FREE", str(left))
    assert room(free) == given


def test_a_claim_fails_as_a_full_disk_does(free: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREE", str(RESERVE_BYTES + 10))
    claim(free, 10)
    with pytest.raises(OSError, match="too little left") as raised:
        claim(free, 11)
    assert raised.value.errno == errno.ENOSPC
