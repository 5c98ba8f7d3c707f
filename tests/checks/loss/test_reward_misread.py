from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.loss.rewards import ACTED, ASKED, SEEN

from firstlight.checks.loss.reward_misread import CHECK
from firstlight.records.finding import Evidence

LOST = replace(ASKED, at_end=(), at_start=(), rows=384)
MET = replace(SEEN, examples=192, rewards=192, given=1.0, values=(), actions=())


def found(seen: Any) -> list[Evidence]:
    return list(CHECK.find(seen, CHECK.limits))


def test_tells_of_negatives_in_the_targets() -> None:
    (evidence,) = found(replace(MET, rewards=0, negatives=192))

    assert evidence.saw == "in 192 of 192 examples the target is the negative of the reward, plus a network's output"
    assert evidence.likely is None


def test_tells_of_targets_without_rewards() -> None:
    (evidence,) = found(replace(MET, rewards=0, nothing=192))

    assert evidence.likely == "the reward is never stored, is overwritten, or is multiplied by zero"


def test_tells_which_way_a_reward_goes() -> None:
    turned = replace(ASKED, at_end=(-0.81, -0.9, -1.0), at_start=(-1.0,))
    (evidence,) = found(replace(SEEN, values=(turned, turned)))

    assert evidence.saw == "a reward that is 1 higher changes what its step learns by -1"


def test_answers_tell_before_actions() -> None:
    assert found(replace(SEEN, actions=(replace(ACTED, at_end=(-0.1,), at_start=(-0.1,)),))) == []


def test_tells_of_a_reward_that_is_lost() -> None:
    (evidence,) = found(replace(SEEN, values=(LOST,)))

    assert evidence.saw == "another reward changes nothing in 384 examples from 64 environment steps"


def test_rewards_that_arrive_are_fine() -> None:
    assert found(SEEN) == []
    assert found(MET) == []


def test_once_out_of_two_is_not_told() -> None:
    assert found(replace(SEEN, values=(ASKED, LOST))) == []


@pytest.mark.parametrize(("negatives", "times"), [(172, 0), (173, 1)])
def test_each_side_of_share(negatives: int, times: int) -> None:
    assert len(found(replace(MET, rewards=0, negatives=negatives))) == times


@pytest.mark.parametrize(("examples", "times"), [(31, 0), (32, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(replace(MET, examples=examples, rewards=0, negatives=examples))) == times


@pytest.mark.parametrize(("rows", "times"), [(383, 0), (384, 1)])
def test_each_side_of_rounds(rows: int, times: int) -> None:
    assert len(found(replace(SEEN, values=(replace(LOST, rows=rows),)))) == times


@pytest.mark.parametrize(("rollouts", "times"), [(2, 0), (3, 1)])
def test_each_side_of_rollouts(rollouts: int, times: int) -> None:
    assert len(found(replace(SEEN, values=(replace(LOST, rows=64, rollouts=rollouts),)))) == times
