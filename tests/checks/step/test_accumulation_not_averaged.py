from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.accumulation_not_averaged import CHECK
from firstlight.records.facts import Accumulation
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

SEEN = Accumulation(
    rank=1,
    site=Site(file="train.py", line=21),
    optimizer="SGD",
    backwards=(4,) * 10,
    averages=1.0,
    separate=True,
    untouched=10,
    reworked=0,
    closure=False,
    loaders=1,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_how_many_times_too_large() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "4 backwards before each step, each on a mean loss as it is: the gradient is 4 times as large"
    )
    assert evidence.wanted == "the mean over all examples of a step"
    assert evidence.do == "divide the loss by 4 before `backward()`"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 21, 1)
    assert evidence.numbers == {"backwards": 4, "steps": 10}


def test_it_warns() -> None:
    assert CHECK.severity is Severity.WARNING


@pytest.mark.parametrize(
    "changes",
    [
        {"backwards": (1,) * 10},
        {"backwards": ()},
        {"averages": None},
        {"averages": 0.25},
        {"averages": 0.5},
        {"separate": False},
        {"reworked": 1},
        {"closure": True},
        {"loaders": 2},
        {"optimizer": "Adam"},
        {"optimizer": None},
    ],
    ids="-".join,
)
def test_what_makes_it_fine(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(("untouched", "times"), [(4, 0), (5, 1), (6, 1)])
def test_each_side_of_steps(untouched: int, times: int) -> None:
    assert len(found(untouched=untouched)) == times


@pytest.mark.parametrize(("others", "times"), [(1, 1), (2, 1), (3, 0)])
def test_each_side_of_same_share(others: int, times: int) -> None:
    assert len(found(backwards=(4,) * (10 - others) + (3,) * others)) == times


def test_tells_how_many_times_too_small() -> None:
    (evidence,) = found(averages=1 / 16)

    assert evidence.saw == (
        "4 backwards before each step, each on a mean loss divided by 16: the gradient is 4 times as small"
    )
    assert evidence.do == "divide the loss by 4 once: the library or another line already does it"


@pytest.mark.parametrize(("averages", "times"), [(1.0, 1), (1.009, 1), (1.02, 0), (1.009 / 16, 1), (1.02 / 16, 0)])
def test_each_side_of_alike(averages: float, times: int) -> None:
    assert len(found(averages=averages)) == times
