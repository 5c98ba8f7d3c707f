from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.loss.rewards import ACTED, ASKED, SEEN

from firstlight.checks.loss.rewards_leave_episode import CHECK
from firstlight.records.finding import Evidence


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, values=(replace(ASKED, **changes),)), CHECK.limits))


def test_tells_of_returns_across_episodes() -> None:
    (evidence,) = found(at_start=(0.81, 0.9, 1.0))

    assert evidence.saw == (
        "another reward at the first step of an episode changes what 3 steps learn, and one at the last step of "
        "the episode before changes what 3 learn"
    )
    assert evidence.cause is None


def test_tells_of_returns_that_run_forward() -> None:
    (evidence,) = found(at_start=(1.0, 0.9, 0.81), at_end=(1.0,))

    assert evidence.cause == "rl-advantage"


def test_a_reward_within_its_episode_is_fine() -> None:
    assert found() == []


def test_the_same_step_in_every_epoch_is_one() -> None:
    assert found(at_start=(1.0, 1.0, 1.0)) == []


def test_actions_tell_where_there_are_no_values() -> None:
    across = replace(ACTED, at_start=(0.09, 0.1))

    assert len(list(CHECK.find(replace(SEEN, values=(), actions=(across,)), CHECK.limits))) == 1


@pytest.mark.parametrize(("other", "times"), [(0.3, 0), (0.31, 1)])
def test_each_side_of_others(other: float, times: int) -> None:
    assert len(found(at_start=(other, 1.0))) == times
