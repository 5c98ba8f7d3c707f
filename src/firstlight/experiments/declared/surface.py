"""The loss along the experiment's own first step: at small parts of it, at all of it, on the batch it was made for."""

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import step
from firstlight.experiments.declared.stumbling import line_of
from firstlight.records.declared import Along, Surface

PARTS = tuple(10.0**power for power in range(-6, 1))
LARGEST = 50_000_000
"""Values beyond which weights are not copied."""


def surface(bench: Bench) -> None:
    model, batch = bench.model(), bench.batch()
    weights = [p for p in model.parameters() if p.requires_grad]
    optimizer = bench.optimizer(model)
    if sum(p.numel() for p in weights) > LARGEST or any(group.get("maximize") for group in optimizer.param_groups):
        return
    begun = [p.detach().clone() for p in weights]
    first = _loss(bench, model, batch)
    bench.seed()
    step(bench, model, optimizer, batch)
    moved = [p.detach() - was for p, was in zip(weights, begun, strict=True)]
    found = []
    for part in PARTS:
        with torch.no_grad():
            for p, was, change in zip(weights, begun, moved, strict=True):
                p.copy_(was + part * change)
        found.append(Along(part=part, loss=_loss(bench, model, batch)))
    bench.emit(
        Surface(
            optimizer=type(optimizer).__name__,
            lr=float(optimizer.param_groups[0]["lr"]),
            loss=first,
            along=tuple(found),
            site=line_of(bench.experiment.optimizer),
        )
    )


def _loss(bench: Bench, model: torch.nn.Module, batch: Batch) -> float:
    """With the same random numbers each time: what differs are the weights."""
    bench.seed()
    with torch.no_grad():
        return float(bench.loss(model, batch))
