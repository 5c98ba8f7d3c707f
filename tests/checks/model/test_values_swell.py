from typing import Any

from msgspec.structs import replace

from firstlight.checks.model.values_swell import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Place, Swelling
from firstlight.records.places import Site

SWELLS = Swelling(
    size=4000.0,
    grown=Place(operation="mul", site=Site(file="train.py", line=12)),
    before=1.5,
    entry=False,
    looks=2,
    step=24,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SWELLS, **changes), CHECK.limits))


def test_tells_the_call_in_which_values_grow_most() -> None:
    (evidence,) = found()

    assert "have a size of 4e+03; they grow most in `mul`, from 1.5" in evidence.saw
    assert evidence.cause == "arch-exploding"
    assert evidence.where.line == 12


def test_what_enters_so_is_a_matter_of_its_scale() -> None:
    (evidence,) = found(entry=True)

    assert "the data are that large in the input, at `mul`" in evidence.saw
    assert evidence.cause == "data-scale"


def test_values_as_large_as_raw_pixels_are_quiet() -> None:
    assert found(size=1000.0)
    assert not found(size=999.0)


def test_one_look_is_not_enough() -> None:
    assert not found(looks=1)


def test_what_is_squashed_may_be_far_less_large() -> None:
    (evidence,) = found(size=79.0, into="lstm")

    assert "values given to `lstm` have a size of 79; they grow most in `mul`, from 1.5" in evidence.saw
    assert evidence.wanted == "below 30, or a normalization soon after"
    assert found(size=30.0, into="lstm")
    assert not found(size=29.0, into="lstm")
    assert not found(size=79.0, into="lstm", entry=True)
