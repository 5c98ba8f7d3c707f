"""A short training with the experiment's own pieces, under the observers that watch unmodified scripts.

The plainest loop there is. What the observers see of it is judged by the same checks as a script, and the copies forked
at its first batch are the same paired experiments.
"""

from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.stumbling import using
from firstlight.observe.inside.observer import Stop, observe


def training(bench: Bench) -> None:
    assert bench.spec is not None
    observer = observe(bench.spec)
    model = bench.model()
    optimizer = bench.optimizer(model)
    scheduler = bench.scheduler(optimizer) if bench.experiment.scheduler is not None else None
    bench.seed()
    try:
        for batch in bench.forever():
            step(bench, model, optimizer, batch)
            if scheduler is not None and bench.experiment.schedule_every == "step":
                scheduler.step()
    except Stop:
        observer.light = True


def step(bench: Bench, model: torch.nn.Module, optimizer: Any, batch: Batch) -> torch.Tensor:
    """One step as every loop makes it; L-BFGS asks for the loss several times."""

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = bench.loss(model, batch)
        with using("loss", "going backward from it", model):
            loss.backward()
        return loss

    if isinstance(optimizer, torch.optim.LBFGS):
        return optimizer.step(closure)  # type: ignore[no-any-return]  # torch types it as a float
    loss = closure()
    with using("optimizer", "making a step"):
        optimizer.step()
    return loss.detach()
