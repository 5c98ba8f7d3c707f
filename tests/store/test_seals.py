"""A seal holds for the place, the manifest and the key it was made with, and for no other."""

import os
from pathlib import Path

import pytest

from firstlight.store import seals


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "firstlight" / seals.KEY


def test_a_seal_is_bound_to_manifest_and_place(key: Path, tmp_path: Path) -> None:
    sealed = seals.seal(tmp_path, b"{}")
    assert sealed is not None
    assert len(sealed) == seals.DIGEST_BYTES
    assert seals.holds(tmp_path, b"{}", sealed)
    assert not seals.holds(tmp_path, b"{} ", sealed)
    assert not seals.holds(tmp_path / "state", b"{}", sealed)
    assert not seals.holds(tmp_path, b"{}", b"")


def test_the_key_is_made_once_and_for_its_user_alone(key: Path, tmp_path: Path) -> None:
    seals.seal(tmp_path, b"")
    first = key.read_bytes()
    seals.seal(tmp_path, b"")
    assert key.read_bytes() == first
    assert key.stat().st_mode & 0o777 == 0o600
    assert list(key.parent.iterdir()) == [key]


def test_another_key_holds_nothing(key: Path, tmp_path: Path) -> None:
    sealed = seals.seal(tmp_path, b"{}") or b""
    key.unlink()
    assert not seals.holds(tmp_path, b"{}", sealed)
    seals.seal(tmp_path, b"{}")
    assert not seals.holds(tmp_path, b"{}", sealed)


def test_a_key_others_can_read_is_none(key: Path, tmp_path: Path) -> None:
    sealed = seals.seal(tmp_path, b"{}") or b""
    key.chmod(0o640)
    assert not seals.holds(tmp_path, b"{}", sealed)
    assert seals.seal(tmp_path, b"{}") is None


@pytest.mark.parametrize("content", [b"", b"short", b"x" * (seals.KEY_BYTES + 1)])
def test_a_key_of_another_length_is_none(key: Path, tmp_path: Path, content: bytes) -> None:
    key.parent.mkdir(parents=True)
    key.write_bytes(content)
    key.chmod(0o600)
    assert seals.seal(tmp_path, b"{}") is None


def test_a_link_is_no_key(key: Path, tmp_path: Path) -> None:
    sealed = seals.seal(tmp_path, b"{}") or b""
    key.rename(tmp_path / "moved")
    key.symlink_to(tmp_path / "moved")
    assert not seals.holds(tmp_path, b"{}", sealed)


def test_without_a_place_for_the_key_nothing_is_sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", os.fspath(tmp_path / "file"))
    assert seals.seal(tmp_path, b"{}") is None
