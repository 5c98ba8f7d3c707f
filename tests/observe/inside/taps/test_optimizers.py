"""Gradients that no step used are told from those that a step for other parameters left behind."""

import weakref
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.observe.inside.cores import Clock
from firstlight.observe.inside.taps.optimizers import Optimizers, left_behind
from firstlight.records.inner import WayTaken
from firstlight.records.training import StepSeen

STEPS = 12


class Players:
    """Two networks with an optimizer each, as a program would drive them."""

    def __init__(self) -> None:
        states = {"full": True, "light": False, "stepping": False, "functional": False}
        observer: Any = SimpleNamespace(**states, clock=Clock(), emit=lambda _: None)
        models: Any = SimpleNamespace(batch=None, batch_rebuilt=False)
        self.taps = Optimizers(observer, models)
        self.generator, self.critic = nn.Linear(2, 3), nn.Linear(3, 1)
        self.of_generator, self.of_critic = (
            torch.optim.SGD(net.parameters(), lr=1e-3) for net in (self.generator, self.critic)
        )
        for optimizer in (self.of_generator, self.of_critic):
            self.taps.of(optimizer)

    def backward(self) -> None:
        loss = self.critic(self.generator(torch.randn(4, 2))).mean()
        self.taps.backward_begins()
        loss.backward()
        self.taps.backward_ended()

    def step(self, optimizer: torch.optim.Optimizer) -> None:
        self.taps.step_begins(optimizer, (optimizer,), {})
        optimizer.step()
        self.taps.step_ended(optimizer)

    def unused(self, optimizer: torch.optim.Optimizer) -> int:
        return self.taps.of(optimizer).unused


@pytest.mark.parametrize(("steps", "unused"), [(True, 0), (False, STEPS - 1)])
def test_a_player_whose_turn_is_rare_loses_nothing_where_the_other_one_steps(steps: bool, unused: int) -> None:
    players = Players()
    for _ in range(STEPS):
        players.of_critic.zero_grad()
        players.backward()
        if steps:
            players.step(players.of_critic)
        players.of_generator.zero_grad()
    players.taps.swallows.stop()

    assert players.unused(players.of_generator) == unused


@pytest.mark.parametrize(
    ("scheduled", "written", "by_hand"), [(False, None, False), (True, None, False), (True, 1e-8, True)]
)
def test_a_rate_that_neither_the_program_configured_nor_a_schedule_gave(
    scheduled: bool, written: float | None, by_hand: bool
) -> None:
    players = Players()
    told: list[StepSeen] = []
    players.taps.observer.emit = told.append  # type: ignore[assignment,method-assign]
    if scheduled:
        schedule = torch.optim.lr_scheduler.ExponentialLR(players.of_critic, gamma=0.5)
        schedule.optimizer.step()
        schedule.step()
        wrapper = SimpleNamespace(param_groups=players.of_critic.param_groups)
        players.taps.scheduled(SimpleNamespace(optimizer=wrapper))
    if written is not None:
        players.of_critic.param_groups[0]["lr"] = written
    players.backward()
    players.step(players.of_critic)

    assert [step.by_hand for step in told] == [by_hand]
    assert len(players.taps.held) == 2  # a wrapper is no optimizer of its own


@pytest.mark.parametrize(
    ("assigned", "backwards", "piled"), [(False, True, 3), (True, False, 0)], ids=["added-to", "assigned"]
)
def test_gradients_that_are_assigned_are_added_to_none(assigned: bool, backwards: bool, piled: int) -> None:
    """They are where those of several losses are put together by hand; nothing is cleared then."""
    players = Players()
    told: list[StepSeen] = []
    players.taps.observer.emit = told.append  # type: ignore[assignment,method-assign]
    for _ in range(4):
        if backwards:
            players.backward()
        for parameter in players.critic.parameters() if assigned else ():
            parameter.grad = torch.ones_like(parameter)
        players.step(players.of_critic)
    players.taps.swallows.stop()

    assert sum(step.stale > 0 for step in told) == piled


@pytest.mark.parametrize("clears", [True, False, None], ids=["to None", "to zeros", "not at all"])
def test_an_optimizer_whose_tensors_nothing_uses_any_more_is_left_behind(clears: bool | None) -> None:
    players = Players()
    players.backward()
    players.step(players.of_critic)
    assert left_behind(players.taps.held.values()) == []

    players.critic = nn.Linear(3, 1)
    for _ in range(STEPS):
        if clears is not None:
            players.of_critic.zero_grad(set_to_none=clears)
        players.backward()
        players.step(players.of_critic)

    (behind,) = left_behind(players.taps.held.values())
    assert (behind.ref(), behind.idle) == (players.of_critic, STEPS)


def test_nobody_is_left_behind_where_another_one_steps_with_gradients() -> None:
    players = Players()
    players.backward()
    players.step(players.of_critic)
    players.critic = nn.Linear(3, 1)
    for _ in range(STEPS):
        players.of_critic.zero_grad()
        players.backward()
        players.step(players.of_critic)
        players.step(players.of_generator)

    assert left_behind(players.taps.held.values()) == []


def test_nor_one_that_never_had_any() -> None:
    players = Players()
    for _ in range(STEPS):
        players.step(players.of_critic)

    assert left_behind(players.taps.held.values()) == []


@pytest.mark.parametrize(("clears", "gathered"), [(False, 2), (True, 1)])
def test_gradients_that_are_cleared_between_backwards_do_not_add_up(clears: bool, gathered: int) -> None:
    players = Players()
    for at in range(2):
        if clears or not at:
            players.of_critic.zero_grad()
        players.backward()
    held = players.taps.of(players.of_critic)
    players.taps.swallows.stop()

    assert (held.gathered, held.backwards, held.summed is None) == (gathered, 2, clears)


def test_a_loss_is_maximized_where_every_optimizer_does_so() -> None:
    """Which of two players a backward is for is not known before a step."""
    players = Players()
    flags = []
    for optimizer in (players.of_critic, players.of_generator):
        optimizer.param_groups[0]["maximize"] = True
        flags.append(players.taps.maximize())

    assert flags == [False, True]
    assert not Optimizers(players.taps.observer, players.taps.models).maximize()


@pytest.mark.parametrize("rate", [0.1, -0.1])
@pytest.mark.parametrize("cleared", [True, False])
def test_which_way_the_program_moves_its_weights_itself(rate: float, cleared: bool) -> None:
    told: list[WayTaken] = []
    states = {"full": True, "stepping": False, "functional": False, "taken": {}, "step": 1}
    observer: Any = SimpleNamespace(**states, clock=Clock(), emit=told.append)
    weight = torch.ones(3, requires_grad=True)
    taps = Optimizers(observer, SimpleNamespace(live=list))  # type: ignore[arg-type]
    taps.walked = SimpleNamespace(leaves=[weakref.ref(weight)])  # type: ignore[assignment]
    for _ in range(6):
        taps.backward_begins()
        weight.square().sum().backward()
        taps.backward_ended()
        with torch.no_grad():
            assert weight.grad is not None
            weight += rate * weight.grad
            if cleared:
                weight.grad = None

    assert [one.along for one in told] == pytest.approx(3 * [1.0 if rate > 0 else -1.0])
