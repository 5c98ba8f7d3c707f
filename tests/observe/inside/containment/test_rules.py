import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firstlight.observe.inside.containment import rules
from firstlight.observe.inside.containment.rules import allows

OWN, SHARED = 1000, 50
WRITE = os.W_OK | os.X_OK


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A directory that the kernel refuses to write to, as it is under a view; with one thing changed."""
    about: dict[str, Any] = {"flags": os.ST_RDONLY, "mode": 0o755, "uid": OWN, "gid": SHARED, "euid": OWN}
    stat = lambda _: SimpleNamespace(st_mode=0o040000 | about["mode"], st_uid=about["uid"], st_gid=about["gid"])  # noqa: E731
    posix = SimpleNamespace(
        access=lambda *_: False, statvfs=lambda _: SimpleNamespace(f_flag=about["flags"]), stat=stat
    )
    monkeypatch.setattr(rules, "posix", posix)
    monkeypatch.setattr(os, "geteuid", lambda: about["euid"])
    monkeypatch.setattr(os, "getegid", lambda: SHARED)
    monkeypatch.setattr(os, "getgroups", list)
    return about


@pytest.mark.parametrize(
    ("changes", "may"),
    [
        ({}, True),
        ({"flags": 0}, False),  # the kernel refuses for a reason of its own
        ({"mode": 0o555}, False),
        ({"uid": 0, "mode": 0o775}, True),
        ({"uid": 0, "mode": 0o755}, False),
        ({"uid": 0, "gid": 0, "mode": 0o777}, True),
        ({"uid": 0, "gid": 0, "mode": 0o775}, False),
        ({"uid": 7, "mode": 0o500, "euid": 0}, True),
    ],
)
def test_where_only_the_view_refuses_the_place_itself_says_who_may_write(
    changes: dict[str, Any], may: bool, refused: dict[str, Any]
) -> None:
    refused |= changes
    assert allows("/data", WRITE) is may


def test_what_the_kernel_allows_is_allowed(tmp_path: Path) -> None:
    assert allows(str(tmp_path), WRITE)
