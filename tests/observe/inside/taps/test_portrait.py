import weakref
from typing import Any, cast

import pytest
import torch
from torch import nn

from firstlight.observe.inside.taps.models import Models, Root
from firstlight.observe.inside.taps.optimizers import Optimizers
from firstlight.observe.inside.taps.portrait import BINS, EDGES, MOST_HISTOGRAMS, Portrait, _spread
from firstlight.records.events import ActivationStats, GradientStats, Histogram
from firstlight.records.inner import ShapesSeen


class Watcher:
    """As much of an observer as the tap uses."""

    def __init__(self) -> None:
        self.step = 0
        self.full = True
        self.told: list[Any] = []
        self.noted: list[tuple[type, dict[str, Any]]] = []

    def emit(self, record: Any) -> None:
        self.told.append(record)

    def note(self, kind: type, /, **fields: Any) -> None:
        self.noted.append((kind, fields))

    def of(self, kind: type) -> list[dict[str, Any]]:
        return [fields for noted, fields in self.noted if noted is kind]


class Program:
    """A step of training by hand, with the tap told what the hooks would tell it."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.observer = Watcher()
        self.models = Models(cast("Any", self.observer))
        self.first, self.last = nn.Linear(4, 6), nn.Linear(6, 2)
        self.model = nn.Sequential(self.first, nn.ReLU(), self.last)
        self.models.roots[id(self.model)] = Root(0, weakref.ref(self.model), "Sequential", None)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        optimizers = Optimizers(cast("Any", self.observer), self.models)
        self.portrait = Portrait(cast("Any", self.observer), self.models, optimizers)

    def step(self) -> None:
        self.optimizer.zero_grad()
        value = given = torch.ones(8, 4)
        for module in self.model:
            made = module(value)
            self.portrait.module_returned(module, [value], [made])
            value = made
        self.portrait.module_returned(self.model, [given], [value])
        self.portrait.backward_begins(value)
        value.square().mean().backward()
        with torch.no_grad():
            self.portrait.step_begins(self.optimizer)
            self.optimizer.step()
            self.portrait.step_ended(self.optimizer)
        self.observer.step += 1


@pytest.fixture
def program() -> Program:
    return Program()


def test_shapes_are_told_once_in_the_order_in_which_modules_returned(program: Program) -> None:
    program.step()
    program.step()
    (trace,) = [record for record in program.observer.told if isinstance(record, ShapesSeen)]
    assert [(layer.name, layer.kind, layer.inputs, layer.outputs, layer.parameters) for layer in trace.layers] == [
        ("0", "Linear", ((8, 4),), ((8, 6),), 30),
        ("1", "ReLU", ((8, 6),), ((8, 6),), 0),
        ("2", "Linear", ((8, 6),), ((8, 2),), 14),
        ("", "Sequential", ((8, 4),), ((8, 2),), 0),
    ]


def test_a_plain_step_moves_each_parameter_by_rate_times_gradient(program: Program) -> None:
    before = {name: p.detach().norm().item() for name, p in program.model.named_parameters()}
    program.step()
    (stats,) = program.observer.of(GradientStats)
    assert [row["name"] for row in stats["params"]] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    for row in stats["params"]:
        assert row["update_ratio"] == pytest.approx(0.1 * row["norm"] / before[row["name"]], rel=1e-3)


def test_units_that_are_zero_for_the_whole_batch_are_dead(program: Program) -> None:
    with torch.no_grad():
        program.first.weight[:3] = 0.0
        program.first.bias[:3] = -1.0
        program.first.weight[3:] = 1.0
    program.step()
    (stats,) = program.observer.of(ActivationStats)
    assert {row["name"]: row["dead"] for row in stats["modules"]} == {"0": 0.0, "1": 0.5, "2": 0.0}


def test_histograms_count_magnitudes_and_leave_out_zeros(program: Program) -> None:
    program.step()
    found = program.observer.of(Histogram)
    assert {(one["kind"], one["name"]) for one in found} >= {("gradients", "2.bias"), ("activations", "1")}
    bias = next(one for one in found if one["name"] == "2.bias")
    assert (len(bias["counts"]), sum(bias["counts"]), bias["bins"]) == (BINS, 2, EDGES)
    gradient = program.last.bias.grad
    assert gradient is not None
    place = next(n for n in range(BINS) if EDGES[n] <= abs(float(gradient[0])) < EDGES[n + 1])
    assert bias["counts"][place] >= 1


def test_nothing_is_read_on_steps_that_are_not_observed_in_full(program: Program) -> None:
    program.observer.full = False
    program.step()
    assert program.observer.noted == []


def test_tensors_for_histograms_are_spread_over_the_model() -> None:
    chosen = _spread([(str(n), torch.zeros(1)) for n in range(50)])
    assert len(chosen) == MOST_HISTOGRAMS
    assert [chosen[0][0], chosen[-1][0]] == ["0", "49"]
