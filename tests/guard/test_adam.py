"""What Adam remembers, read beside the gradients; and how large gradients and weights are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.guard.adam import AdamMemory, paces
from firstlight.guard.histograms import EDGES, Histograms, spread
from firstlight.guard.watch import Watch
from firstlight.records import events
from firstlight.store.event_log import LineReader, typed

BETA, EPSILON = 0.999, 1e-8


def trained(make: Callable[[Any], torch.optim.Optimizer], steps: int = 8, scale: float = 1.0) -> Watch:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 32), nn.Linear(32, 32, bias=False))
    watch = Watch(0, make(model.parameters()), {"model": model})
    for step in range(steps):
        watch.optimizer.zero_grad()
        (model(torch.randn(16, 32)).square().mean() * scale).backward()
        if step < steps - 1:
            watch.optimizer.step()
    watch.step = 7
    return watch


def test_a_gradient_is_measured_by_what_adam_will_divide_it_by() -> None:
    watch = trained(lambda parameters: torch.optim.Adam(parameters, betas=(0.0, BETA), eps=EPSILON, lr=1.0))
    moments = AdamMemory(watch)
    moments.step_begins()
    (memory,) = moments.arrived()
    before = [parameter.detach().clone() for parameter in watch.subjects.parameters]
    watch.optimizer.step()  # without a first moment and with a rate of 1 the step is that very quotient
    moved = [
        (was - now.detach()).square().mean().sqrt().item()
        for was, now in zip(before, watch.subjects.parameters, strict=True)
    ]

    assert memory.names == ["0.weight", "1.weight"]
    assert [row[0] for row in memory.rows] == pytest.approx([moved[0], moved[2]], rel=0.1)
    assert [row[1] for row in memory.rows] == [0.0, 0.0]


def test_epsilon_drowns_what_is_below_ten_times_it() -> None:
    gradient, memory = torch.full((1, 300), 1e-8), torch.full((1, 300), 1e-16)
    gradient[:, ::2], memory[:, ::2] = 1e-3, 1e-6

    ((_, drowned, zeros),) = paces([(gradient, memory)], 10_000, BETA, EPSILON).tolist()
    assert (drowned, zeros) == (pytest.approx(0.5, abs=0.01), 0.0)


def test_elements_that_never_had_a_gradient_do_not_count() -> None:
    gradient, memory = torch.full((1, 300), 1e-3), torch.full((1, 300), 1e-6)
    gradient[:, ::2], memory[:, ::2] = 0.0, 0.0

    ((_, drowned, zeros),) = paces([(gradient, memory)], 10_000, BETA, EPSILON).tolist()
    assert (drowned, zeros) == (0.0, pytest.approx(0.5, abs=0.01))


@pytest.mark.parametrize(
    "make",
    [
        lambda parameters: torch.optim.AdamW(parameters, foreach=True),
        lambda parameters: torch.optim.AdamW(parameters, fused=True),
        lambda parameters: torch.optim.Adam(parameters, amsgrad=True),
        torch.optim.NAdam,
        torch.optim.RAdam,
    ],
)
def test_every_optimizer_of_its_kind_is_read(make: Callable[[Any], torch.optim.Optimizer]) -> None:
    moments = AdamMemory(trained(make))
    moments.step_begins()
    (memory,) = moments.arrived()

    assert all(0.2 < pace < 3 for pace, _, _ in memory.rows)


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.RMSprop, torch.optim.Adamax])
def test_others_have_no_such_memory(make: Callable[[Any], torch.optim.Optimizer]) -> None:
    moments = AdamMemory(trained(make))
    moments.step_begins()

    assert moments.arrived() == []


def test_gradients_with_the_loss_scale_in_them_are_not_read() -> None:
    watch = trained(torch.optim.Adam)
    watch.optimizer.grad_scale = torch.tensor(65536.0)  # type: ignore[attr-defined]
    moments, histograms = AdamMemory(watch), Histograms()
    moments.step_begins()
    histograms.step_begins(watch)

    assert moments.arrived() == []
    assert {counted.kind for counted in histograms.arrived()} == {"weights"}


def test_magnitudes_are_counted_in_their_bins() -> None:
    watch = trained(torch.optim.Adam)
    with torch.no_grad():
        watch.subjects.parameters[0].fill_(0.0)[0] = torch.tensor([2e-3] * 16 + [float("nan")] * 8 + [float("inf")] * 8)
    histograms = Histograms()
    histograms.step_begins(watch)
    found = {(counted.kind, counted.name): counted.counts for counted in histograms.arrived()}
    (bin_of,) = [place for place in range(64) if EDGES[place] <= 2e-3 < EDGES[place + 1]]

    counts = found["weights", "0.weight"]
    assert counts[bin_of] == sum(counts) == 16
    assert sum(found["gradients", "1.weight"]) == 1024


def test_of_many_tensors_some_are_shown_from_the_first_to_the_last() -> None:
    chosen = spread([(str(place), torch.zeros(1)) for place in range(100)])

    assert (chosen[0][0], chosen[-1][0], len(chosen)) == ("0", "99", 8)


def test_histograms_are_in_the_log(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = nn.Linear(8, 3)
    optimizer = torch.optim.Adam(model.parameters())
    with fl.guard(model, optimizer, directory=tmp_path, every=10) as guard:
        for _ in range(25):
            optimizer.zero_grad()
            model(torch.randn(16, 8)).square().mean().backward()
            optimizer.step()
    assert guard.shield.broken == {}
    assert guard.events is not None
    lines = [event for line in LineReader(guard.events).new() if isinstance(event := typed(line), events.Histogram)]

    assert {(line.kind, line.name) for line in lines} == {
        (kind, name) for kind in ("gradients", "weights") for name in ("weight", "bias")
    }
    assert {line.step for line in lines} == {10, 20}
