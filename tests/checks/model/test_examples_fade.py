from typing import Any

from msgspec.structs import replace

from firstlight.checks.model.examples_fade import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.flows import Fading, Place
from firstlight.records.places import Site

FADES = Fading(
    spread=2e-4,
    lost=Place(operation="sigmoid", site=Site(file="train.py", line=12)),
    before=0.02,
    entry=False,
    looks=2,
    step=24,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FADES, **changes), CHECK.limits))


def test_tells_the_call_in_which_most_is_lost() -> None:
    (evidence,) = found()

    assert "differ by at most 0.0002 of the values; most is lost in `sigmoid`, before which it was 0.02" in evidence.saw
    assert evidence.cause == "arch-vanishing"
    assert evidence.where.line == 12


def test_what_enters_so_is_a_matter_of_its_scale() -> None:
    (evidence,) = found(entry=True)

    assert "they differ as little in the input, at `sigmoid`" in evidence.saw
    assert evidence.cause == "data-scale"


def test_what_learns_all_the_same_is_a_note() -> None:
    assert [evidence.severity for evidence in (*found(), *found(learnt=True))] == [None, Severity.NOTE]


def test_examples_that_still_differ_are_quiet() -> None:
    assert found(spread=9e-4)
    assert not found(spread=1e-3)


def test_one_look_is_not_enough() -> None:
    assert not found(looks=1)
