"""The weights of actions, taken from the gradient by their likelihoods."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch.distributions import Categorical

from firstlight.observe.inside.taps import weighing
from firstlight.observe.inside.taps.weighing import ENOUGH, MOST_WEIGHED, Weighing

NET = torch.nn.Linear(3, 4)
SEEN = torch.randn(16, 3)


def looked(weights: torch.Tensor, backwards: int = 1, returns: tuple[float, ...] = (0.0, 1.0)) -> list[Any]:
    told: list[Any] = []
    dealings: Any = SimpleNamespace(exchanges=32, returns=[])
    for _ in range(backwards):
        dealings.returns += returns
        with taped() as recorder:
            recorder.whole = True
            observer: Any = SimpleNamespace(step=3, timeline=None, light=False, emit=told.append)
            asked = asking.setdefault(id(told), Weighing(observer, recorder, dealings))
            asked.recorder = recorder
            moves = Categorical(logits=torch.log_softmax(NET(SEEN), 1))
            likely = torch.log_softmax(NET(SEEN), 1).gather(1, moves.sample()[:, None])[:, 0]
            loss = -(likely * weights).mean()
        asked.backward_begins(loss, False, False)
        loss.backward()
        asked.backward_ended(loss)
    return told


asking: dict[int, Weighing] = {}


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    asking.clear()


def test_the_weight_is_what_likelihoods_are_multiplied_with() -> None:
    (seen,) = looked(torch.linspace(-1, 2, 16))

    assert seen.largest == pytest.approx(2.0)
    assert seen.returns == (0.0, 1.0)
    assert seen.site is not None


def test_it_looks_until_weights_were_seen() -> None:
    assert len(looked(torch.ones(16), backwards=ENOUGH + 3)) == ENOUGH
    asking.clear()
    in_vain = looked(torch.zeros(16), backwards=MOST_WEIGHED + 3)

    assert len(in_vain) == MOST_WEIGHED
    assert {one.largest for one in in_vain} == {0.0}


def test_nothing_is_told_before_an_episode_has_ended() -> None:
    assert looked(torch.ones(16), returns=()) == []


def test_many_returns_are_cut() -> None:
    (seen,) = looked(torch.ones(16), returns=tuple(map(float, range(100))))

    assert len(seen.returns) == weighing.MOST_RETURNS
