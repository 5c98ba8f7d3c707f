"""How far a step moves the weights is seen whether the gradients come before the step or from its closure."""

import weakref
from typing import Any, cast

import pytest
import torch
from torch import nn

from firstlight.observe.inside.taps.movement import LOOKS, Watch, _groups
from firstlight.observe.inside.taps.optimizers import Held
from firstlight.records.inner import Movement


class Watcher:
    """As much of an observer, of models and of optimizers as the tap uses."""

    def __init__(self, optimizer: torch.optim.Optimizer, closure: bool) -> None:
        self.backwards = 0
        self.told: list[Movement] = []
        self.held = Held(ref=weakref.ref(optimizer), name="SGD", site=None, first_lr=None, steps=LOOKS[0])
        self.held.closure = closure
        self.maximized = bool(optimizer.param_groups[0].get("maximize"))

    def maximizes(self) -> bool:
        return self.maximized

    def emit(self, record: Movement) -> None:
        self.told.append(record)

    def of(self, _optimizer: torch.optim.Optimizer) -> Held:
        return self.held

    def live(self) -> list[Any]:
        return []


@pytest.mark.parametrize(
    ("closure", "backwards", "looks"), [(False, 1, 1), (True, 1, 1), (True, 4, 0)], ids=["loop", "closure", "search"]
)
def test_a_step_is_followed_unless_it_searches_along_a_line(closure: bool, backwards: int, looks: int) -> None:
    model = nn.Linear(3, 2, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    watcher = Watcher(optimizer, closure)
    watch = Watch(cast("Any", watcher), cast("Any", watcher), cast("Any", watcher))

    def gradients() -> None:
        optimizer.zero_grad()
        model(torch.ones(1, 3)).sum().backward()
        watcher.backwards += backwards

    if not closure:
        gradients()
    watch.step_begins(optimizer)
    if closure:
        gradients()
    before = model.weight.detach().clone()
    optimizer.step()
    watch.step_ended(optimizer)

    assert len(watcher.told) == looks
    for seen in watcher.told:
        assert seen.tensors[0].along == pytest.approx(-1)
        assert seen.pace == pytest.approx(0.5 / before.square().mean().sqrt().item(), rel=1e-4)


def test_a_matrix_that_was_trained_is_not_as_random_as_a_new_one() -> None:
    torch.manual_seed(0)
    new, conv = nn.Linear(30, 20), nn.Conv2d(3, 8, 3)
    trained = nn.Linear(30, 20)
    with torch.no_grad():
        trained.weight += 0.2 * torch.outer(torch.randn(20), torch.randn(30))
    parts = [list(one.parameters()) for one in (new, conv, trained)]
    optimizer = torch.optim.SGD([{"params": part, "lr": 0.1} for part in parts])

    groups = _groups(optimizer.param_groups)

    assert [group.drawn for group in groups] == [True, True, False]
    assert [group.drawn for group in _groups(optimizer.param_groups, {id(new.weight)})] == [False, True, False]
    assert [group.elements for group in groups] == [620, 224, 620]
    assert _groups(optimizer.param_groups[:1]) == ()


def test_a_step_that_is_meant_to_climb_goes_down_the_negative() -> None:
    weight = torch.ones(4, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.5, maximize=True)
    watcher = Watcher(optimizer, closure=False)
    watch = Watch(cast("Any", watcher), cast("Any", watcher), cast("Any", watcher))
    weight.sum().backward()
    watch.step_begins(optimizer)
    optimizer.step()
    watch.step_ended(optimizer)

    assert [one.along for seen in watcher.told for one in seen.tensors] == pytest.approx([-1])
