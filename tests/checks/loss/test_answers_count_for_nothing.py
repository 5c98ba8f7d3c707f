from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.answers_count_for_nothing import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import MuteSeen

MUTE = MuteSeen(
    operation="mul",
    site=Site(file="train.py", line=15),
    value=0.0,
    times=3,
    looks=3,
    step=24,
    elements=150,
    of=256,
    others=1.5,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(MUTE, **changes), CHECK.limits))


def test_tells_the_answer_and_how_often_it_is_asked_for() -> None:
    (evidence,) = found()

    assert "where the target is 0, in 150 of 256 places, the loss does not depend on the output;" in evidence.saw
    assert evidence.where.line == 15


def test_an_answer_that_counts_at_one_look_is_quiet() -> None:
    assert not found(times=2)


def test_one_look_is_not_enough() -> None:
    assert found(times=2, looks=2)
    assert not found(times=1, looks=1)


def test_a_rare_answer_may_be_left_out() -> None:
    assert found(elements=26)
    assert not found(elements=25)
