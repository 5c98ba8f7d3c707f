from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.units_dead import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.inner import Units
from firstlight.records.places import Site

DEAD = Units(
    step=100,
    order=1,
    kind="relu",
    site=Site(file="train.py", line=12),
    module="body.1",
    units=20,
    dead=20,
    saturated=0.0,
    looks=4,
    examples=200,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(DEAD, **changes), CHECK.limits))


def test_a_layer_without_a_living_unit_is_an_error() -> None:
    (evidence,) = found()

    assert evidence.severity is Severity.ERROR
    assert "20 of 20 ReLU units" in evidence.saw
    assert (evidence.where.line, evidence.where.module) == (12, "body.1")


def test_most_units_dead_is_a_suspicion_until_proven() -> None:
    (evidence,) = found(dead=18)

    assert evidence.severity is None
    assert (CHECK.severity, CHECK.proven) == (Severity.NOTE, Severity.WARNING)


@pytest.mark.parametrize(("dead", "rose", "cause"), [(20, 1.9, None), (20, 2.0, "hp-lr-high"), (18, 2.0, None)])
def test_a_layer_that_died_while_the_rate_grew_was_killed_by_it(dead: int, rose: float, cause: str | None) -> None:
    (evidence,) = found(dead=dead, rose=rose)

    assert evidence.cause == cause
    assert ("the learning rate had grown" in evidence.saw) == (cause is not None)


@pytest.mark.parametrize(("dead", "pace", "cause"), [(20, 0.29, None), (20, 0.3, "hp-lr-high"), (18, 0.9, None)])
def test_a_layer_that_is_dead_after_steps_that_replace_the_weights(dead: int, pace: float, cause: str | None) -> None:
    (evidence,) = found(dead=dead, pace=pace)

    assert evidence.cause == cause
    assert (f"a single step had changed weights by {pace:.0%}" in evidence.saw) == (cause is not None)


def test_units_that_saturate_do_not_die() -> None:
    assert found(kind="sigmoid") == []


@pytest.mark.parametrize(("dead", "times"), [(15, 0), (16, 1)])
def test_each_side_of_share(dead: int, times: int) -> None:
    assert len(found(dead=dead)) == times


@pytest.mark.parametrize(("step", "times"), [(9, 0), (10, 1)])
def test_each_side_of_step(step: int, times: int) -> None:
    assert len(found(step=step)) == times


@pytest.mark.parametrize(("looks", "times"), [(2, 0), (3, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks)) == times


@pytest.mark.parametrize(("examples", "times"), [(47, 0), (48, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(examples=examples)) == times


@pytest.mark.parametrize(("units", "times"), [(7, 0), (8, 1)])
def test_each_side_of_units(units: int, times: int) -> None:
    assert len(found(units=units, dead=units)) == times


def test_a_layer_that_answered_once_came_to_be_dead() -> None:
    assert [one.later for answered in (False, True) for one in found(dead=20, answered=answered)] == [False, True]
