"""The cache answers only while everything an answer rested on is as it was."""

from pathlib import Path

import pytest

from firstlight.store.lint_cache import Entry, LintCache


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    return path


def kept(folder: Path, source: Path, **rests_on: str) -> None:
    cache = LintCache(folder, "stamp")
    others = {str(source.parent / f"{name}.py"): digest for name, digest in rests_on.items()}
    cache.put(source, Entry(digest=cache.digest(source), rests_on=others))
    cache.save()


def test_an_unchanged_file_is_known(tmp_path: Path, source: Path) -> None:
    kept(tmp_path / "cache", source)

    assert LintCache(tmp_path / "cache", "stamp").get(source) is not None


def test_a_changed_file_another_version_and_a_broken_cache_are_not(tmp_path: Path, source: Path) -> None:
    folder = tmp_path / "cache"
    kept(folder, source)

    assert LintCache(folder, "another").get(source) is None
    source.write_text("x = 2\n")
    assert LintCache(folder, "stamp").get(source) is None
    source.write_text("x = 1\n")
    (folder / "lint.msgpack").write_bytes(b"\x80\xff")
    assert LintCache(folder, "stamp").get(source) is None


def test_a_file_that_appears_where_one_was_looked_for_changes_the_answer(tmp_path: Path, source: Path) -> None:
    kept(tmp_path / "cache", source, b="")

    assert LintCache(tmp_path / "cache", "stamp").get(source) is not None
    (tmp_path / "b.py").write_text("")
    assert LintCache(tmp_path / "cache", "stamp").get(source) is None


def test_a_file_that_is_gone_is_not_known(tmp_path: Path, source: Path) -> None:
    kept(tmp_path / "cache", source)
    source.unlink()

    assert LintCache(tmp_path / "cache", "stamp").get(source) is None


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, source: Path) -> None:
    (tmp_path / "cache").write_text("a file stands here")

    kept(tmp_path / "cache", source)
    assert LintCache(tmp_path / "cache", "stamp").get(source) is None
