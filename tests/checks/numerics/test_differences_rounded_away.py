from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.differences_rounded_away import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Levelling, Place
from firstlight.records.places import Site

ROUNDED = Levelling(
    rank=1,
    call=Place(operation="float", site=Site(file="train.py", line=12)),
    looks=3,
    step=24,
    before=0.0,
    after=0.0,
    of="rounding",
    rounded=4.1,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ROUNDED, **changes), CHECK.limits))


@pytest.mark.parametrize(
    ("of", "what"),
    [
        ("rounding", "the inputs of the network are"),
        ("constants", "what the network computes from constants, such as the angles of positions, is"),
    ],
)
def test_names_the_call_and_the_error(of: str, what: str) -> None:
    (evidence,) = found(of=of)

    assert evidence.saw == f"after `float` {what} off by 4.10 of the standard deviation, compared with double precision"
    assert (evidence.where.file, evidence.where.line, evidence.where.step, evidence.where.rank) == (
        "train.py",
        12,
        24,
        1,
    )
    assert evidence.do


@pytest.mark.parametrize("of", ["rounding", "constants"])
@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"rounded": 0.3}, 1),
        ({"rounded": 0.29}, 0),
        ({"looks": 2}, 1),
        ({"looks": 1}, 0),
        ({"rounded": float("nan")}, 0),
    ],
)
def test_each_side_of_each_limit(of: str, changes: dict[str, Any], times: int) -> None:
    assert len(found(of=of, **changes)) == times


@pytest.mark.parametrize("of", ["inputs", "answers", "classes"])
def test_what_is_levelled_otherwise_is_told_elsewhere(of: str) -> None:
    assert found(of=of) == []
