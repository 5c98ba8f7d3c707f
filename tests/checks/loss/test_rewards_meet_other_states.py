from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.loss.rewards import ASKED, SEEN

from firstlight.checks.loss.rewards_meet_other_states import CHECK
from firstlight.records.finding import Evidence

MET = replace(ASKED, own=0, others=12, states=500, around=512, places=32)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, values=(replace(MET, **changes),)), CHECK.limits))


def test_tells_of_states_of_other_episodes() -> None:
    (evidence,) = found()

    assert evidence.saw == "12 of 12 targets that a different reward changes belong to states of other episodes"
    assert evidence.cause is None


def test_tells_of_actions_in_other_episodes() -> None:
    asked = replace(SEEN, values=(replace(MET, own=9, others=0),), actions=(replace(MET, own=1, others=9),))
    (evidence,) = CHECK.find(asked, CHECK.limits)

    assert evidence.saw == "9 of 10 action weights that a different reward changes belong to states of other episodes"


def test_tells_of_states_that_are_one_array() -> None:
    (evidence,) = found(others=1, states=32)

    assert evidence.cause == "rl-obs"
    assert evidence.saw.endswith("; the 512 targets that are learned from have 32 different states")


def test_states_that_are_not_known_tell_nothing() -> None:
    assert found(others=0) == []
    assert list(CHECK.find(replace(SEEN, values=()), CHECK.limits)) == []


@pytest.mark.parametrize(("others", "times"), [(3, 0), (4, 1)])
def test_each_side_of_answers(others: int, times: int) -> None:
    assert len(found(others=others)) == times


@pytest.mark.parametrize(("others", "times"), [(14, 0), (15, 1)])
def test_each_side_of_share(others: int, times: int) -> None:
    assert len(found(own=5, others=others)) == times


@pytest.mark.parametrize(("around", "times"), [(127, 0), (128, 1)])
def test_each_side_of_rows(around: int, times: int) -> None:
    assert len(found(others=1, states=32, around=around)) == times


@pytest.mark.parametrize(("states", "times"), [(33, 0), (32, 1)])
def test_more_states_than_environments_are_not_one_array(states: int, times: int) -> None:
    assert len(found(others=1, states=states)) == times
