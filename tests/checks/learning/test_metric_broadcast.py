from typing import Any

from msgspec.structs import replace

from firstlight.checks.learning.metric_broadcast import CHECK
from firstlight.records.facts import ShapeClash
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

CLASH = ShapeClash(
    rank=1,
    operation="eq",
    site=Site(file="train.py", line=23),
    left=(200, 1),
    right=(200,),
    result=(200, 200),
    in_loss=False,
    times=4,
    first_step=20,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CLASH, **changes), CHECK.limits))


def test_tells_both_shapes_and_what_they_became() -> None:
    (evidence,) = found()

    assert evidence.saw == "`eq` of (200, 1) and (200,) broadcasts to (200, 200) before it is reduced"
    assert evidence.wanted == "two equal shapes"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 23)
    assert (evidence.where.step, evidence.where.rank) == (20, 1)
    assert evidence.numbers == {"times": 4}


def test_a_clash_in_the_loss_is_a_matter_of_the_loss() -> None:
    assert found(in_loss=True) == []
