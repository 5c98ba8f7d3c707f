"""Parameters that are thawed or added while a model trains, and whether an optimizer comes to hold them."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.newcomers import IDLE_STEPS, Newcomers
from firstlight.observe.inside import sites
from firstlight.observe.inside.cores import Clock
from firstlight.observe.inside.taps.optimizers import Optimizers
from firstlight.records.census import Census
from firstlight.records.places import Site

Change = Callable[[nn.Sequential, torch.optim.Optimizer], None]


def trained(
    change: Change, late: int = IDLE_STEPS, frozen: bool = True, everything: bool = False, moved: bool = False
) -> list[Census]:
    """What is told after so many steps with the change; before it, only the last layer trains if it is frozen."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    model[0].requires_grad_(not frozen)
    optimizer = torch.optim.SGD(model.parameters() if everything else model[1].parameters(), lr=0.1)
    held: Any = SimpleNamespace(parameters=[], applied=0, idle=0)
    observer: Any = SimpleNamespace(step=0, functional=False, optimizers=lambda: [held])
    seen = Newcomers(observer)
    call: Any = SimpleNamespace(module=model, training=True)
    for step in range(2 + late):
        if step == 2:
            change(model, optimizer)
        seen.returned(call)
        model.zero_grad()
        model(torch.randn(8, 3)).square().mean().backward()
        optimizer.step()
        held.parameters = [p for group in optimizer.param_groups for p in group["params"]]
        seen.stepped(optimizer)
        if moved:
            for parameter in model[0].parameters():
                parameter.data.add_(0.1)
        observer.step += 1
    return list(seen.seen())


def thaw(model: nn.Sequential, _optimizer: torch.optim.Optimizer) -> None:
    model[0].requires_grad_(True)


def thaw_and_tell(model: nn.Sequential, optimizer: torch.optim.Optimizer) -> None:
    model[0].requires_grad_(True)
    optimizer.add_param_group({"params": list(model[0].parameters())})


def add(model: nn.Sequential, _optimizer: torch.optim.Optimizer) -> None:
    model.append(nn.Linear(1, 1))


def nothing(_model: nn.Sequential, _optimizer: torch.optim.Optimizer) -> None:
    """All goes on as before."""


def test_a_layer_that_is_thawed_and_not_held_has_joined() -> None:
    (found,) = trained(thaw)

    assert found.joined.names == ("0.weight", "0.bias")
    assert found.optimized.names == ("1.weight", "1.bias")


def test_so_has_one_that_is_added() -> None:
    (found,) = trained(add, everything=True, frozen=False)

    assert found.joined.names == ("2.weight", "2.bias")


def test_it_must_stand_still_for_some_steps() -> None:
    assert trained(thaw, late=IDLE_STEPS - 1) == []


@pytest.mark.parametrize(
    ("change", "about"),
    [
        (thaw_and_tell, {}),
        (thaw, {"everything": True}),
        (thaw, {"moved": True}),
        (nothing, {}),
        (nothing, {"frozen": False}),
    ],
)
def test_what_an_optimizer_holds_or_somebody_moves_is_well(change: Change, about: dict[str, Any]) -> None:
    """As is what was trainable and left out from the beginning: that is another matter."""
    assert trained(change, **about) == []


def test_a_probe_of_a_frozen_part_does_not_thaw_it() -> None:
    def probe(model: nn.Sequential, _optimizer: torch.optim.Optimizer) -> None:
        model[0].requires_grad_(True)
        model(torch.randn(8, 3)).mean().backward()
        model[0].requires_grad_(False)

    assert trained(probe) == []


def test_a_module_that_is_only_said_to_be_thawed_is_told_of() -> None:
    def say(model: nn.Sequential, _optimizer: torch.optim.Optimizer) -> None:
        model[0].requires_grad = True  # type: ignore[assignment]

    (found,) = trained(say, everything=True)

    assert found.flagged == ("0",)
    assert found.frozen.names == ("0.weight", "0.bias")


def test_one_whose_parameters_agree_keeps_books() -> None:
    def say_and_thaw(model: nn.Sequential, _optimizer: torch.optim.Optimizer) -> None:
        model[0].requires_grad_(True)
        model[0].requires_grad = True  # type: ignore[assignment]

    assert trained(say_and_thaw, everything=True) == []


@pytest.mark.parametrize(
    ("about", "told"),
    [({}, True), ({"late": IDLE_STEPS - 1}, False), ({"goes_on": True}, False), ({"rebuilt": True}, False)],
    ids=["left behind", "not for long", "the one before goes on as well", "with an optimizer of its own"],
)
def test_a_model_that_takes_the_place_of_another_is_told_where_nothing_is_applied_any_more(
    about: dict[str, Any], told: bool
) -> None:
    assert [census.joined.tensors for census in replaced(**about)] == ([2] if told else [])


def replaced(late: int = IDLE_STEPS, goes_on: bool = False, rebuilt: bool = False) -> list[Census]:
    torch.manual_seed(0)
    first, second = nn.Linear(3, 1), nn.Linear(3, 1)
    observer: Any = SimpleNamespace(full=True, light=False, stepping=False, functional=False, step=0)
    observer.emit, observer.clock = (lambda _: None), Clock()
    models: Any = SimpleNamespace(batch=None, batch_rebuilt=False)
    taps = Optimizers(observer, models)
    observer.optimizers = lambda: list(taps.held.values())
    seen = Newcomers(observer)
    optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
    for step in range(2 + late):
        if step == 2 and rebuilt:
            optimizer = torch.optim.SGD(second.parameters(), lr=0.1)
        model = second if step >= 2 else first
        seen.returned(SimpleNamespace(module=model, training=True))  # type: ignore[arg-type]
        optimizer.zero_grad()
        loss = model(torch.randn(8, 3)).square().mean()
        (loss + first(torch.randn(8, 3)).square().mean() if goes_on else loss).backward()
        taps.step_begins(optimizer, (optimizer,), {})
        optimizer.step()
        taps.step_ended(optimizer)
        seen.stepped(optimizer)
        observer.step += 1
    return list(seen.seen())


def test_the_line_that_thawed_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Site(file="train.py", line=112)
    monkeypatch.setattr(sites, "caller", lambda **_: line)
    observer: Any = SimpleNamespace(step=5)
    seen, parameter = Newcomers(observer), nn.Parameter(torch.ones(2))
    seen.joins(parameter)

    assert seen._lines.get(parameter, None) == line
