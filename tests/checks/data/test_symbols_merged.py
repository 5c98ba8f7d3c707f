from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.symbols_merged import CHECK
from firstlight.records.merged import Merged
from firstlight.records.relations import Relations

NAN = float("nan")


def merging(**changes: Any) -> Relations:
    usual = {"level": "characters", "groups": (("C", "c"), ("n", "N")), "count": 2, "rows": 640, "fed": 0.35}
    return related(merged=Merged(**{**usual, "apart": 0.96, **changes}))


def test_tells_which_symbols_and_what_they_would_tell() -> None:
    (evidence,) = found(CHECK, merging(count=5))

    assert evidence.saw == (
        "some characters of the texts share an id (`C` and `c`, `n` and `N` and 3 more); a simple fit to the ids of "
        "640 texts explains 35% of the target, and 96% if it is told them apart"
    )


def test_texts_of_which_nothing_is_lost_are_fine() -> None:
    assert found(CHECK, related()) == []
    assert found(CHECK, merging(groups=())) == []


@pytest.mark.parametrize(
    ("fed", "apart", "times"),
    [(0.5, 0.65, 1), (0.5, 0.64, 0), (0.2, 0.41, 1), (0.2, 0.39, 0), (NAN, 0.9, 0), (0.2, NAN, 0)],
)
def test_each_side_of_what_is_gained_and_of_what_is_left(fed: float, apart: float, times: int) -> None:
    assert len(found(CHECK, merging(fed=fed, apart=apart))) == times
