"""Confidence follows what was counted on labelled programs, and what was written where that is little."""

import pytest

from firstlight.findings import counted as module
from firstlight.findings.counted import WRITTEN, counted


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(module, "_counts", lambda: found)
    return found


def test_what_was_never_counted_is_as_sure_as_it_was_written(counts: dict[str, tuple[int, int]]) -> None:
    assert counted("FL301", 0.9) == 0.9


def test_few_counts_move_it_a_little_and_many_all_the_way(counts: dict[str, tuple[int, int]]) -> None:
    counts["FL301"] = (0, 1)
    once = counted("FL301", 0.9)
    counts["FL301"] = (0, 1000)
    often = counted("FL301", 0.9)
    assert 0.7 < once < 0.9
    assert often < 0.01


def test_counts_and_what_was_written_meet_halfway(counts: dict[str, tuple[int, int]]) -> None:
    counts["FL301"] = (int(WRITTEN), int(WRITTEN))
    assert counted("FL301", 0.5) == 0.75


def test_what_is_installed_can_be_read_and_names_checks_alone() -> None:
    module._counts.cache_clear()
    assert all(0 <= right <= spoke for right, spoke in module._counts().values())
