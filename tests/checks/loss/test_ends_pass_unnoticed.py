from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.ends_pass_unnoticed import CHECK
from firstlight.records.dealings import Bootstrapped
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

SEEN = Bootstrapped(
    rank=1,
    site=Site(file="train.py", line=20),
    looks=3,
    step=24,
    examples=192,
    cut=0,
    same=0,
    carries=0,
    ends=0.1,
    episodes=20,
    even=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_how_often_the_value_is_taken() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the target includes the value of the next state in 192 of 192 examples, while 10.0% of all steps end an "
        "episode"
    )
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 20, 1)


def test_a_flag_that_is_turned_is_told_as_such() -> None:
    (evidence,) = found(cut=170)

    assert evidence.likely == "the flag is inverted: the value is kept only at the ends"


def test_ends_that_are_cut_off_are_fine() -> None:
    assert found(cut=19) == []


@pytest.mark.parametrize(
    ("changes", "times"), [({}, 1), ({"cut": 6}, 0), ({"examples": 199}, 0), ({"apart": False}, 0)]
)
def test_few_are_cut_off_where_limits_of_time_are_told_apart(changes: dict[str, Any], times: int) -> None:
    seen = {"apart": True, "examples": 200, "cut": 5, "ends": 0.1, **changes}

    assert len(found(**seen)) == times


def test_the_other_flag_is_named() -> None:
    (evidence,) = found(apart=True)

    assert evidence.likely == "`truncated` is stored or used in place of `terminated`"


def test_a_limit_of_time_may_be_passed_over() -> None:
    assert found(even=True) == []


def test_a_task_without_an_end() -> None:
    assert found(ends=0.0, episodes=0) == []


@pytest.mark.parametrize(("examples", "times"), [(59, 0), (60, 1)])
def test_each_side_of_expected(examples: int, times: int) -> None:
    assert len(found(examples=examples)) == times


@pytest.mark.parametrize(("episodes", "times"), [(4, 0), (5, 1)])
def test_each_side_of_episodes(episodes: int, times: int) -> None:
    assert len(found(episodes=episodes)) == times


@pytest.mark.parametrize(("ends", "times"), [(0.26, 0), (0.25, 1)])
def test_each_side_of_rare(ends: float, times: int) -> None:
    assert len(found(ends=ends, cut=150)) == times


@pytest.mark.parametrize(("cut", "times"), [(115, 0), (116, 1)])
def test_each_side_of_most(cut: int, times: int) -> None:
    assert len(found(cut=cut)) == times


@pytest.mark.parametrize("changes", [{"even": True}, {"looks": 0, "cut": 0, "even": True}])
@pytest.mark.parametrize(("beyond", "times"), [(1, 0), (2, 1)])
def test_each_side_of_beyond(beyond: int, times: int, changes: dict[str, Any]) -> None:
    risen = found(beyond=beyond, **{"cut": 40, **changes})

    assert [one.severity for one in risen] == [Severity.WARNING] * times
    assert found(beyond=beyond, **{"cut": 40, "episodes": 4, **changes}) == []
