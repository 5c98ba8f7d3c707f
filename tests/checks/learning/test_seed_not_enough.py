from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.seed_not_enough import CHECK
from firstlight.records.declared import Repeat
from firstlight.records.finding import Evidence

ILL = Repeat(
    eval_difference=0.3, low_precision=False, losses=12, first_difference=2, difference=0.1, random_modules=("drop",)
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "from step 2 on, two trainings with one seed differ by 0.1" in evidence.saw
    assert "at most 0.0001" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "env-seed"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"difference": 1.1e-4}, 1),
        ({"difference": 0.9e-4}, 0),
        ({"first_difference": None}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
