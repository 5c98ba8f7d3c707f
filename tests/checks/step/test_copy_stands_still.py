from math import nan
from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.step.test_copy_shares_weights import COPY

from firstlight.checks.step.copy_stands_still import CHECK, SLOW
from firstlight.records.finding import Evidence


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(COPY, **changes), CHECK.limits))


def test_a_copy_that_follows_slowly_is_fine() -> None:
    assert found() == []


def test_tells_one_that_is_written_to_in_vain() -> None:
    (evidence,) = found(moved=0)

    assert evidence.saw == (
        "`target` was looked at 6 times in 9 steps, in which the model moved by 2.0% of its size, "
        "and its weights never moved"
    )


@pytest.mark.parametrize(("touched", "times"), [(4, 0), (5, 1)])
def test_one_that_nobody_touches_may_be_due_later(touched: int, times: int) -> None:
    assert len(found(moved=0, touched=touched)) == times


@pytest.mark.parametrize(("followed", "times"), [(4, 0), (5, 1)])
def test_one_that_is_the_model_each_time_lags_behind_nothing(followed: int, times: int) -> None:
    assert len(found(moved=5, followed=followed)) == times


@pytest.mark.parametrize(("looks", "times"), [(2, 0), (3, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(moved=0, looks=looks)) == times


@pytest.mark.parametrize(("drift", "times"), [(0.9e-4, 0), (1e-4, 1), (nan, 0)])
def test_each_side_of_drift(drift: float, times: int) -> None:
    assert len(found(moved=0, drift=drift)) == times


@pytest.mark.parametrize("changes", [{"shared": 4}, {"began_equal": False}, {"name": "reference"}, {"name": ""}])
def test_what_need_not_follow_is_not_judged(changes: dict[str, Any]) -> None:
    assert found(moved=0, **changes) == []


@pytest.mark.parametrize(
    "name", ["target", "self.target_net", "ema", "ema_model", "targetnet", "q_target", "agent.slow", "teacher"]
)
def test_names_that_say_so(name: str) -> None:
    assert SLOW.search(name)


@pytest.mark.parametrize("name", ["reference", "old_policy", "schema", "retarget"])
def test_names_that_do_not(name: str) -> None:
    assert not SLOW.search(name)


def lagging(mixed_in: float = 1e-4, **changes: Any) -> list[Evidence]:
    usual = {"name": "average", "moved": 5, "looks": 6, "steps": 9, "called": 1, "planned": 700}
    return found(**{**usual, "mixed_in": mixed_in, **changes})


def test_tells_an_average_that_is_still_its_beginning_at_the_end() -> None:
    (evidence,) = lagging()

    assert evidence.saw == (
        "each update takes `average` 0.0001 of the way to the model: after the 700 updates that are planned, 93% of it "
        "is still what it started as"
    )
    assert evidence.cause == "train-ema"
    assert "such as 0.99, or let it rise" in (evidence.do or "")
    assert "a copy of `Net`" in lagging(name="", model="Net")[0].saw


@pytest.mark.parametrize(("mixed_in", "times"), [(0.00098, 1), (0.001, 0), (nan, 0)])
def test_each_side_of_left(mixed_in: float, times: int) -> None:
    assert len(lagging(mixed_in)) == times


@pytest.mark.parametrize(("called", "times"), [(4, 1), (5, 0)])
def test_each_side_of_asked(called: int, times: int) -> None:
    """A teacher is asked in every step."""
    assert len(lagging(called=called)) == times


def test_a_run_of_unknown_length_may_be_long_enough() -> None:
    assert lagging(planned=None) == []
    assert lagging(moved=3) == []
