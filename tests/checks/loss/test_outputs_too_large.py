from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.outputs_too_large import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Guessed, Place
from firstlight.records.places import Site

FACTOR = Guessed(
    rank=0,
    site=Site(file="train.py", line=30),
    first=40.0,
    first_guess=2.0,
    tenth=4.0,
    step=192,
    loss=1.0,
    guess=2.0,
    grown=Place(operation="mul", site=Site(file="train.py", line=20)),
    before=0.1,
    size=100.0,
    entry=False,
    trained=False,
    last=False,
)
STAYS: dict[str, Any] = {"loss": 6.0, "trained": True}


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FACTOR, **changes), CHECK.limits))


def test_names_the_call_in_which_values_grow() -> None:
    (evidence,) = found()

    assert "starts at 40, where one output for all examples would get 2;" in evidence.saw
    assert "values grow from 0.1 to 100 in `mul` at line 20" in evidence.saw
    assert (evidence.where.line, evidence.cause) == (20, "arch-exploding")


def test_a_start_near_a_guess_is_quiet() -> None:
    assert found(first=5.1, tenth=1.0)
    assert not found(first=4.9, tenth=1.0)


def test_without_a_factor_it_is_told_where_it_stays_above_a_guess() -> None:
    assert not found(trained=True)
    assert found(**STAYS)
    assert not found(**{**STAYS, "loss": 2.5})
    assert not found(**STAYS, step=95)


def test_a_small_factor_is_none() -> None:
    assert found(size=0.81)
    assert not found(size=0.79)
    assert not found(**STAYS, size=0.79)


def test_the_cause_is_where_values_become_large() -> None:
    assert found(last=True)[0].cause == "num-logit-growth"
    assert found(**STAYS)[0].cause == "arch-init"
    assert found(loss=6.0, entry=True)[0].cause == "data-scale"


def test_answers_that_lie_far_away_are_another_matter() -> None:
    assert found(tenth=19.9)
    assert not found(tenth=20.0)
    assert not found(**STAYS, tenth=20.0)


def test_a_loss_that_can_be_negative_is_not_compared() -> None:
    assert not found(first_guess=-1.0)
    assert not found(**STAYS, guess=-1.0)
