from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.batch_repeats import CHECK
from firstlight.records.facts import Feeding
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

STALE = Feeding(
    site=Site(file="train.py", line=22),
    steps=120,
    compared=63,
    longest_repeat=63,
    one_batch_epochs=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(STALE, **changes), CHECK.limits))


def test_counts_the_equal_steps() -> None:
    (evidence,) = found()

    assert evidence.saw == "64 steps in a row were fed exactly the same values"
    assert evidence.wanted == "a different batch at each step"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 22)
    assert evidence.numbers == {"repeats": 63, "compared": 63}


def test_a_loader_with_one_batch_repeats_it_on_purpose() -> None:
    assert found(one_batch_epochs=True) == []


@pytest.mark.parametrize(("repeats", "times"), [(0, 0), (14, 0), (15, 1), (16, 1)])
def test_each_side_of_repeats_in_a_row(repeats: int, times: int) -> None:
    assert len(found(longest_repeat=repeats)) == times
