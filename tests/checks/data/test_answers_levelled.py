from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.answers_levelled import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Levelling, Place
from firstlight.records.places import Site

CAST = Levelling(
    rank=1,
    call=Place(operation="long", site=Site(file="train.py", line=12)),
    looks=2,
    step=24,
    before=0.02,
    after=0.97,
    of="answers",
    merged=0.5,
    lost=0.22,
)
CLASSES: dict[str, Any] = {"of": "classes", "merged": 0.0, "lost": 0.0, "gone": 1}


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CAST, **changes), CHECK.limits))


def test_names_the_call_and_what_is_lost() -> None:
    (evidence,) = found()

    assert evidence.saw == "`long` loses 22% of the variance of the targets: many of them become equal"
    assert (evidence.where.line, evidence.where.step, evidence.where.rank) == (12, 24, 1)


@pytest.mark.parametrize(
    ("ignored", "gone", "cause", "says"),
    [
        (False, 1, "data-label-range", "turns a class for which the network has an output into others"),
        (False, 3, "data-label-range", "turns 3 classes for which the network has an output into others"),
        (True, 1, "data-labels-masked", "ignores a class"),
    ],
)
def test_classes_are_taken_for_others_or_ignored(ignored: bool, gone: int, cause: str, says: str) -> None:
    (evidence,) = found(**CLASSES | {"ignored": ignored, "gone": gone})

    assert evidence.cause == cause
    assert says in evidence.saw


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"looks": 1}, 0),
        ({"merged": 0.1}, 1),
        ({"merged": 0.09}, 0),
        ({"lost": 0.05}, 1),
        ({"lost": 0.04}, 0),
        ({"lost": float("nan")}, 0),
        ({"of": "inputs"}, 0),
        (CLASSES, 1),
        (CLASSES | {"gone": 0}, 0),
    ],
)
def test_each_side_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
