"""What counts as an environment, and what is kept of its answers."""

import contextlib
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.taps.dealings import FEWEST_EPISODES, Dealings, _may_deal, _read, tell_returns

SEEN = [0.1, 0.2]
FIRST, SECOND = torch.tensor([True, False, False]), torch.tensor([False, True, False])
SHOWN = torch.zeros(3, 4)
SHOWN_LAST = torch.tensor([[0.0] * 4, [1.0] * 4, [0.0] * 4])
"""With what the second of three environments showed at the end of its episode."""
LEARNING: Any = SimpleNamespace(step=0)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ((SEEN, 1.0, False), (1, [1.0], [False])),
        ((SEEN, 1, True, False, {}), (1, [1.0], [True])),
        ((3, -0.5, True), (1, [-0.5], [True])),
        ((1.0, True, SEEN), (0, [1.0], [True])),
        ((torch.zeros(2, 3), torch.ones(2), torch.tensor([True, False])), (1, [1.0, 1.0], [True, False])),
        ((torch.zeros(2, 3), torch.ones(2), False), (1, [1.0, 1.0], [False])),
        ((torch.zeros(2, 3), torch.ones(2), torch.tensor([0.0, 1.0]), {}), (1, [1.0, 1.0], [False, True])),
        ((torch.zeros(2, 3), torch.ones(2), torch.ones(2), torch.tensor([True, False])), (1, [1.0] * 2, [True] * 2)),
        ((torch.zeros(2, 3), torch.ones(2), torch.tensor([0.0, 0.5])), None),
        ((torch.zeros(2, 3), torch.ones(2), torch.ones(2), torch.zeros(2, 3), torch.zeros(2)), None),
        ((torch.zeros(2, 3), torch.ones(2), torch.ones(2), torch.tensor([True, False]), torch.ones(2, 3)), None),
        ((SHOWN, SHOWN, torch.ones(3), SECOND, FIRST), (2, [1.0] * 3, [False, True, False])),
        ((SHOWN, SHOWN_LAST, torch.ones(3), SECOND, FIRST), (2, [1.0] * 3, [False, True, False])),
        ((SHOWN, SHOWN_LAST, torch.ones(3), FIRST, SECOND), (2, [1.0] * 3, [True, False, False])),
        ((SHOWN, SHOWN_LAST, torch.ones(3), FIRST, FIRST), None),
        ((SHOWN, SHOWN_LAST, torch.ones(3), torch.ones(3).bool(), FIRST), None),
        ((SEEN, 0.5, 1.0), None),
        ((SEEN, 0.5, 0.1), None),
        ((SEEN, True, False), None),
        ((torch.zeros(2, 3), torch.ones(2, 3), torch.tensor([True, False])), None),
    ],
)
def test_flags_behind_numbers_are_an_environment(result: tuple[Any, ...], expected: Any) -> None:
    assert _read(result) == expected


def step(action: int) -> tuple[list[float], float, bool]:
    return SEEN, float(action), action > 1


def pair(action: int) -> tuple[int, int]:
    return action, action


def test_functions_that_return_so_many_things_are_asked() -> None:
    assert _may_deal(step)  # type: ignore[arg-type]
    assert not _may_deal(pair)  # type: ignore[arg-type]


def deal(dealings: Dealings, action: Any, *result: Any) -> None:
    read = _read(result)
    assert read is not None
    dealings.actions.saw([action], len(read[2]))
    dealings.exchanged(7, result, read)


def test_episodes_are_counted_for_each_place() -> None:
    dealings = Dealings(LEARNING, Recorder())
    for ends in ([False, False], [False, True], [True, False]):
        deal(dealings, torch.tensor([0, 1]), SEEN, torch.tensor([1.0, -1.0]), torch.tensor(ends))

    assert (dealings.exchanges, dealings.ends, dealings.size) == (6, 2, 1.0)
    assert dealings.episodes == {2: 1, 3: 1}
    assert dealings.running == {(7, 1): 1}
    assert not dealings.even


@pytest.mark.parametrize(
    ("result", "apart"),
    [
        ((SEEN, 1.0, True, False, {}), True),
        ((torch.zeros(2, 3), torch.ones(2), torch.tensor([True, False]), torch.tensor([False, False])), True),
        ((SEEN, 1.0, True), False),
        ((SEEN, 1.0, True, {}), False),
    ],
)
def test_limits_of_time_may_be_told_apart(result: tuple[Any, ...], apart: bool) -> None:
    dealings = Dealings(LEARNING, Recorder())
    deal(dealings, 0, *result)

    assert dealings.apart == apart


def test_numbers_are_held_against_the_rewards() -> None:
    dealings = Dealings(LEARNING, Recorder())
    for reward in (1.0, 0.5):
        deal(dealings, 0, SEEN, reward, False)

    assert dealings.compare([1.0, 0.5, -1.0, 0.0, 0.7]) == (2, 1, 1)


class Within:
    """Steps, and what goes on around them."""

    def __init__(self, dealings: Dealings, wraps: bool) -> None:
        self.step = dealings._following(step)  # type: ignore[arg-type]
        self.around = dealings._following(self.wrapped if wraps else self.rollout)  # type: ignore[arg-type]

    def wrapped(self, action: int) -> tuple[list[float], float, bool]:
        seen, reward, end = self.step(action)
        return seen, 10 * reward, end

    def rollout(self, action: int) -> tuple[dict[str, list[float]], float, list[float]]:
        seen = [self.step((action + at) % 2) for at in range(4)]
        return {"rewards": [one[1] for one in seen]}, 0.5, SEEN


@pytest.fixture
def dealings() -> Dealings:
    observer: Any = SimpleNamespace(inert=False, quiet=contextlib.nullcontext, step=0)
    return Dealings(observer, Recorder())


def test_a_rollout_that_returns_several_things_hides_no_environment(dealings: Dealings) -> None:
    Within(dealings, wraps=False).around(1)

    assert (dealings.exchanges, dealings.rewards) == (4, {0.0, 1.0})


def test_of_an_environment_around_another_the_outer_one_counts(dealings: Dealings) -> None:
    around = Within(dealings, wraps=True).around
    for action in (0, 1, 0, 1):
        around(action)

    assert (dealings.exchanges, dealings.rewards, list(dealings.running.values())) == (4, {0.0, 10.0}, [4])


@pytest.mark.parametrize(("episodes", "told"), [(FEWEST_EPISODES - 1, 0), (FEWEST_EPISODES, 1)])
def test_returns_are_told_once_some_episodes_have_ended(episodes: int, told: int) -> None:
    seen: list[Any] = []
    observer: Any = SimpleNamespace(step=0, emit=seen.append)
    observer.dealings = dealings = Dealings(observer, Recorder())
    for episode in range(episodes):
        observer.step = 10 * episode
        deal(dealings, 0, SEEN, 1.0, False)
        deal(dealings, 1, SEEN, float(episode), True)
    tell_returns(observer, to_end=True)

    assert [(one.episodes, one.start.mean, one.to_end) for one in seen] == told * [(episodes, 3.0, True)]


def test_what_is_given_no_actions_is_no_environment() -> None:
    seen: list[Any] = []
    observer: Any = SimpleNamespace(step=0, emit=seen.append)
    observer.dealings = dealings = Dealings(observer, Recorder())
    for episode in range(FEWEST_EPISODES):
        deal(dealings, 2, torch.zeros(2, 3), torch.tensor([4, episode]), torch.tensor([0, 1]))
    tell_returns(observer, to_end=True)

    assert (dealings.exchanges, seen) == (0, [])


def test_without_an_environment_there_are_none() -> None:
    tell_returns(SimpleNamespace(dealings=None, emit=None))  # type: ignore[arg-type]
