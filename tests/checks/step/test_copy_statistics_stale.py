from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.step.test_copy_shares_weights import COPY

from firstlight.checks.step.copy_statistics_stale import CHECK
from firstlight.records.finding import Evidence


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(COPY, **{"statistics": 2, "stale": 2, **changes}), CHECK.limits))


def test_tells_what_stands_where_it_began() -> None:
    (evidence,) = found()

    assert "its 2 running statistics are still at their initial values" in evidence.saw


@pytest.mark.parametrize("changes", [{"stale": 1}, {"stale": 0, "statistics": 0}, {"moved": 0}])
def test_statistics_that_move_or_a_copy_that_does_not_are_fine(changes: dict[str, Any]) -> None:
    assert found(**changes) == []
