import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.errors import UsageError
from firstlight.experiments.declared.conditions import RECENT, SETTLED
from firstlight.experiments.declared.invariants import Invariant, Watch

FINITE = st.floats(-1e6, 1e6)


def watch(check: str) -> Watch:
    return Watch(Invariant(name="rule", on="here", check=check))


def held(check: str, *values: float) -> list[bool]:
    looked = watch(check)
    return [looked.holds({"here": {"value": value, "mean": value, "sum": value}}) for value in values]


@given(st.lists(FINITE, min_size=1, max_size=60))
def test_monotone_is_broken_exactly_where_a_value_falls(values: list[float]) -> None:
    falls = [later < earlier for earlier, later in itertools.pairwise(values)]

    assert held("value >= previous(value)", *values) == [True, *(not fall for fall in falls)]


@given(st.lists(FINITE, min_size=1, max_size=60))
def test_frozen_is_broken_exactly_where_a_value_is_not_the_first(values: list[float]) -> None:
    assert held("sum == first(sum)", *values) == [value == values[0] for value in values]


def test_what_must_change_is_not_asked_at_the_first_look() -> None:
    assert held("sum != previous(sum)", 1.0, 2.0, 2.0) == [True, True, False]


def test_drift_is_measured_against_recent_looks() -> None:
    rule = "abs(mean - usual(mean)) <= 6 * spread(mean)"
    wave = [math.sin(i) for i in range(30)]

    assert all(held(rule, *wave))
    assert held(rule, *wave, 40.0)[-1] is False
    assert all(held(rule, *wave[: SETTLED - 1], 40.0))


def test_the_past_that_is_kept_does_not_grow() -> None:
    looked = watch("value >= first(value)")
    for i in range(1000):
        assert looked.holds({"here": {"value": float(i)}})

    assert len(looked._earlier) <= RECENT + 1
    assert not looked.holds({"here": {"value": -1.0}})


def test_a_relation_to_another_tensor() -> None:
    looked = watch('max <= at("budget", min) and at("budget", finite)')

    assert looked.invariant.places == {"here", "budget"}
    assert looked.holds({"here": {"max": 3.0}, "budget": {"min": 4.0, "finite": 1.0}})
    assert not looked.holds({"here": {"max": 5.0}, "budget": {"min": 4.0, "finite": 1.0}})


def test_one_look_by_itself_can_be_judged() -> None:
    invariant = Invariant(name="rule", on="here", check="min > 0 and mean >= previous(mean)")

    assert invariant.holds({"min": 1.0, "mean": 2.0})
    assert invariant.over_time
    assert not Invariant(name="rule", on="here", check="min > 0").over_time


@pytest.mark.parametrize(
    "check",
    [
        "min > 2 and nonsense",
        "previous()",
        "previous(min, max)",
        "at(min)",
        'at("a", at("b", min))',
        'previous(at("b", min))',
        "0 <= min if max else 1",
        "mean.real > 0",
        "min is not max",
    ],
)
def test_what_is_not_understood_is_told_when_it_is_declared(check: str) -> None:
    """Also behind an `and` whose first half is false."""
    with pytest.raises(UsageError, match="is not understood"):
        watch(check)
