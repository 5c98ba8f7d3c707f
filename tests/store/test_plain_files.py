"""Only plain files are read, and none twice as large as it may be; what waits or leads elsewhere is refused at once."""

import os
import socket
from pathlib import Path

import pytest

from firstlight.errors import UnreadableError
from firstlight.store import plain_files


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert plain_files.contents(tmp_path / "file", 5) == b"12345"
    with pytest.raises(UnreadableError, match="more than the 4 bytes"):
        plain_files.contents(tmp_path / "file", 4)


def test_links_are_followed_only_where_the_user_named_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert plain_files.contents(tmp_path / "link", 5, follow=True) == b"x"
    with pytest.raises(UnreadableError, match="links are not followed"):
        plain_files.contents(tmp_path / "link", 5)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    told = {
        "pipe": "a pipe",
        ".": "a directory",
        "missing": "No such file",
        "loop": "leads nowhere",
        "socket": "cannot be read",
    }
    for name, words in {**told, "/dev/null": "a device", "nul\0": "is no name of a file"}.items():
        with pytest.raises(UnreadableError) as raised:
            plain_files.opened(tmp_path / name)
        assert words in str(raised.value)


def test_a_file_is_made_only_where_nothing_is(tmp_path: Path) -> None:
    plain_files.create(tmp_path / "new", b"x", 0o600)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    (tmp_path / "dangling").symlink_to("target")
    for name in ("new", "dangling"):
        with pytest.raises(FileExistsError):
            plain_files.create(tmp_path / name, b"y")
    assert not (tmp_path / "target").exists()


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / "link").symlink_to("precious")
    plain_files.replace(tmp_path / "link", b"new")
    assert (tmp_path / "precious").read_bytes() == b"mine"
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "precious"]
