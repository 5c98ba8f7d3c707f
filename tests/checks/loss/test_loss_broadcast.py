from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.loss_broadcast import CHECK
from firstlight.records.facts import ShapeClash
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

CLASH = ShapeClash(
    rank=3,
    operation="mse_loss",
    site=Site(file="train.py", line=21),
    left=(64, 1),
    right=(64,),
    result=(64, 64),
    in_loss=True,
    times=8,
    first_step=2,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CLASH, **changes), CHECK.limits))


def test_tells_both_shapes_and_what_they_became() -> None:
    (evidence,) = found()

    assert evidence.saw == "`mse_loss` of (64, 1) and (64,) broadcasts to (64, 64)"
    assert evidence.wanted == "two equal shapes, (64, 1) or (64,)"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 21)
    assert (evidence.where.step, evidence.where.rank) == (2, 3)
    assert evidence.numbers == {"times": 8}


def test_wants_one_of_the_two_shapes_whichever_side_is_longer() -> None:
    (evidence,) = found(left=(64,), right=(64, 1))

    assert evidence.wanted == "two equal shapes, (64, 1) or (64,)"


def test_a_clash_outside_the_loss_is_a_matter_of_metrics() -> None:
    assert found(in_loss=False) == []
