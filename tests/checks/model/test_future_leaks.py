from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.future_leaks import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.timelines import Dependence

LEAKS = Dependence(step=0, rank=1, kind="future", site=Site(file="train.py", line=33), own=True, others=5, of=6)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LEAKS, **changes), CHECK.limits))


def test_tells_how_many_later_positions() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the output at a position depends on 5 of the 6 positions after it, and the target is the next position"
    )
    assert evidence.wanted == "outputs that depend on no later position"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 33)
    assert (evidence.where.step, evidence.where.rank) == (0, 1)
    assert evidence.numbers == {"later": 5, "of": 6}


def test_dependence_on_other_examples_is_another_matter() -> None:
    assert found(kind="examples") == []


@pytest.mark.parametrize(("others", "times"), [(0, 0), (1, 1), (2, 1), (6, 1)])
def test_one_later_position_is_enough(others: int, times: int) -> None:
    assert len(found(others=others)) == times
