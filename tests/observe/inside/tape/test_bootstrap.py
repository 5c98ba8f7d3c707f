"""Targets of a reward and a part of a network's value, taken apart by asking."""

import copy
from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.bootstrap import TargetParts, bootstraps
from firstlight.observe.inside.tape.tail import tail_of

torch.manual_seed(0)
NET = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
SLOW = copy.deepcopy(NET)
S, NEXT = torch.randn(16, 3), torch.randn(16, 3)
ACTIONS = torch.arange(16) % 2
REWARDS, ENDS = torch.randn(16), (torch.arange(16) % 4 == 0).float()
Target = Callable[[], torch.Tensor]


def asked(target: Target, loss: Callable[..., torch.Tensor] = F.mse_loss) -> list[TargetParts]:
    with taped() as recorder:
        recorder.whole = True
        value = loss(NET(S).gather(1, ACTIONS[:, None])[:, 0], target())
    found = tail_of(recorder, value)
    assert found is not None
    return list(bootstraps(found))


@torch.no_grad()
def plain() -> torch.Tensor:
    found: torch.Tensor = REWARDS + 0.9 * (1 - ENDS) * SLOW(NEXT).max(1).values
    return found


@torch.no_grad()
def double() -> torch.Tensor:
    best = NET(NEXT).argmax(1, keepdim=True)
    ahead = SLOW(NEXT).gather(1, best)[:, 0]
    return torch.where(ENDS > 0, REWARDS, REWARDS + 0.9 * ahead)


@pytest.mark.parametrize("target", [plain, double])
@pytest.mark.parametrize("loss", [F.mse_loss, lambda p, y: (p - y).pow(2).mean(), F.smooth_l1_loss])
def test_reward_and_discount_are_found(target: Target, loss: Callable[..., torch.Tensor]) -> None:
    (found,) = asked(target, loss)

    assert torch.allclose(found.part, (0.9 * (1 - ENDS)).double(), atol=1e-4)
    assert torch.allclose(found.alone, REWARDS.double(), atol=1e-5)
    assert not found.same
    assert not found.carries


def test_rows_of_a_replay_are_drawn_on_the_tape() -> None:
    with taped() as recorder:
        recorder.whole = True
        drawn = torch.randint(0, 16, (16,))
        with torch.no_grad():
            target = REWARDS[drawn] + 0.9 * (1 - ENDS[drawn]) * SLOW(NEXT[drawn]).max(1).values
        value = F.mse_loss(NET(S[drawn]).gather(1, ACTIONS[drawn][:, None])[:, 0], target)
    tail = tail_of(recorder, value)
    assert tail is not None
    (found,) = bootstraps(tail)

    assert torch.allclose(found.part, (0.9 * (1 - ENDS[drawn])).double(), atol=1e-4)


@torch.no_grad()
def from_same() -> torch.Tensor:
    found: torch.Tensor = REWARDS + 0.9 * SLOW(S).max(1).values
    return found


def test_the_same_states() -> None:
    (found,) = asked(from_same)

    assert found.same


def test_a_gradient() -> None:
    (found,) = asked(lambda: REWARDS + 0.9 * NET(NEXT).max(1).values)

    assert found.carries


def test_plain_answers_are_no_bootstrap() -> None:
    assert asked(lambda: REWARDS * 2) == []


def test_values_that_are_bent_are_left_alone() -> None:
    assert asked(lambda: (REWARDS + 0.9 * SLOW(NEXT).max(1).values.detach()).tanh().detach()) == []


def test_an_action_that_was_drawn_is_no_value() -> None:
    spread = nn.Parameter(torch.zeros(2))

    def policy() -> torch.distributions.Normal:
        return torch.distributions.Normal(NET(S), spread.exp())

    with taped() as recorder:
        recorder.whole = True
        with torch.no_grad():
            actions = policy().sample()
            earlier = policy().log_prob(actions).sum(-1)
        order = torch.randperm(16)
        ratio = (policy().log_prob(actions[order]).sum(-1) - earlier[order]).exp()
        value = -torch.min(ratio * REWARDS, ratio.clamp(0.8, 1.2) * REWARDS).mean()
    tail = tail_of(recorder, value)
    assert tail is not None

    assert list(bootstraps(tail)) == []


def test_values_that_stay_near_earlier_ones_are_not_taught_them() -> None:
    def clipped(predicted: torch.Tensor, earlier: torch.Tensor) -> torch.Tensor:
        near = earlier + (predicted - earlier).clamp(-0.2, 0.2)
        return torch.max((predicted - REWARDS).pow(2), (near - REWARDS).pow(2)).mean()

    assert asked(lambda: SLOW(S).max(1).values.detach()[:], clipped) == []


def test_a_target_weighed_by_how_often_it_is_drawn() -> None:
    (found,) = asked(plain, lambda p, y: ((p - y).pow(2) * torch.linspace(0.1, 1, 16)).mean())

    assert torch.allclose(found.alone, REWARDS.double(), atol=1e-5)
