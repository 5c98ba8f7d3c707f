"""Groups of an optimizer that are frozen at each of its steps."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.shortening.rounds import WHOLE, Book
from firstlight.experiments.inside.standing_by import StandingBy
from firstlight.observe.inside import sites
from firstlight.records.standing_by import GroupFrozen

STEPS = 4


@pytest.fixture(autouse=True)
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of these tests is a program's."""
    monkeypatch.setattr(sites, "way", lambda: iter([("train.py", 7)]))
    monkeypatch.setattr(sites, "is_users", lambda _: False)


def trained(thaws_at: int = STEPS, groups: bool = True, ended: str = "exit", later: bool = False) -> list[GroupFrozen]:
    """A body beside a head; the body is thawed before one of the steps, or trained by a later optimizer."""
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    body, head = list(model[0].parameters()), list(model[1].parameters())
    observer: Any = SimpleNamespace(step=STEPS, optimizers=list)
    seen = StandingBy(observer, Book(WHOLE))
    seen.returned(SimpleNamespace(module=model, training=True))  # type: ignore[arg-type]
    optimizer = torch.optim.SGD([{"params": head}, {"params": body}] if groups else [*head, *body], lr=0.1)
    for step in range(STEPS):
        for parameter in body:
            was, on = parameter.requires_grad, step >= thaws_at
            parameter.requires_grad_(on)
            seen.switched(parameter, was, on)
        seen.stepped(optimizer)
    if later:
        model[0].requires_grad_(True)
        seen.stepped(torch.optim.SGD(body, lr=0.1))
    return list(seen.seen(ended))


def test_a_group_that_is_frozen_at_each_step_is_told_of() -> None:
    (found,) = trained()

    assert found.parameters.names == ("0.weight", "0.bias")
    assert (found.optimizer, found.rate, found.steps, found.test) == ("SGD", 0.1, STEPS, "")


@pytest.mark.parametrize("about", [{"thaws_at": STEPS - 1}, {"later": True}, {"groups": False}, {"ended": "time"}])
def test_one_that_trains_or_may_yet_is_not(about: dict[str, Any]) -> None:
    """Nor are frozen tensors among others: a whole model is often handed over, whatever of it is frozen."""
    assert trained(**about) == []


def test_where_a_line_that_thaws_was_not_reached_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandingBy, "_may_switch", lambda _: True)

    assert trained() == []
