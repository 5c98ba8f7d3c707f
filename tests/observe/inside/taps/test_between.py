"""What happens to weights between two steps: nothing, or a change that is measured against the step itself."""

import weakref
from collections.abc import Callable
from typing import Any, cast

import pytest
import torch
from torch import nn

from firstlight.observe.inside.taps.between import Between
from firstlight.observe.inside.taps.optimizers import Held
from firstlight.records.inner import Touched


class Watcher:
    """As much of an observer, of models and of optimizers as the tap uses."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.told: list[Touched] = []
        self.held = Held(ref=weakref.ref(optimizer), name="SGD", site=None, first_lr=None)

    def emit(self, record: Touched) -> None:
        self.told.append(record)

    def of(self, _optimizer: torch.optim.Optimizer) -> Held:
        return self.held

    def live(self) -> list[Any]:
        return []


def touched(change: Callable[[torch.Tensor], torch.Tensor], steps: int = 3) -> list[Touched]:
    """Of a layer whose steps are small, and whose weights are changed after each."""
    torch.manual_seed(0)
    model = nn.Linear(40, 30)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    watcher = Watcher(optimizer)
    between = Between(cast("Any", watcher), cast("Any", watcher), cast("Any", watcher))
    for _ in range(steps):
        model.weight.grad = torch.randn_like(model.weight)
        between.step_begins(optimizer)
        optimizer.step()
        between.step_ended(optimizer)
        model.weight.data = change(model.weight.data)
    return watcher.told


def on_a_grid(weights: torch.Tensor) -> torch.Tensor:
    return (weights * 400).round() / 400


@pytest.mark.parametrize(
    ("change", "format_"),
    [
        (lambda weights: weights.to(torch.float8_e5m2).float(), "float8_e5m2"),
        (lambda weights: weights.bfloat16().float(), "bfloat16"),
        (on_a_grid, "eight bits"),
    ],
)
def test_rounding_undoes_a_small_step(change: Callable[[torch.Tensor], torch.Tensor], format_: str) -> None:
    *_, last = touched(change)

    assert last.format == format_
    assert last.undone > 0.5


def test_a_decay_is_no_rounding_and_undoes_nothing() -> None:
    *_, last = touched(lambda weights: 0.9 * weights)

    assert (last.format, last.undone) == ("", 0.0)
    assert last.ratio == pytest.approx(0.9)


def test_weights_that_only_the_optimizer_changes_are_not_told() -> None:
    assert touched(lambda weights: weights) == []


def test_weights_that_begin_anew_are_known() -> None:
    torch.manual_seed(0)
    first = nn.Linear(40, 30).weight.detach()

    assert [one.restored for one in touched(lambda _: first.clone())] == [True, True]
    assert [one.restored for one in touched(lambda weights: 0.9 * weights)] == [False, False]


@pytest.mark.parametrize(
    ("change", "bounded", "beyond"),
    [
        (lambda weights: weights.clamp(-0.05, 0.05), 0.68, 0.68),
        (lambda weights: weights.clamp(-0.15, 0.15), 0.05, 0.05),
        (lambda weights: weights.clamp(min=0), 0.0, 0.0),
        (lambda weights: weights * (0.5 / weights.norm()), 0.0, 1.0),
        (lambda weights: weights * 1.001, 0.0, 0.0),
    ],
)
def test_elements_that_are_cut_down_to_one_size_are_counted(
    change: Callable[[torch.Tensor], torch.Tensor], bounded: float, beyond: float
) -> None:
    """Weights of a layer with 40 inputs begin between -0.158 and 0.158."""
    first = touched(change)[0]

    assert first.bounded == pytest.approx(bounded, abs=0.03)
    assert bounded == 0 or first.beyond == pytest.approx(beyond, abs=0.03)
