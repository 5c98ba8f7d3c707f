"""Small trainings inside a probe: the experiment's own step, with or without what would hold learning back."""

import time
from collections.abc import Callable, Iterable
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.stumbling import using
from firstlight.experiments.inside.steering import changed

DROPOUTS = torch.nn.modules.dropout._DropoutNd
BATCH_NORMS = torch.nn.modules.batchnorm._BatchNorm


def step(bench: Bench, model: torch.nn.Module, optimizer: Any, batch: Batch) -> float:
    """One step as every loop makes it; L-BFGS asks for the loss several times."""

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = bench.loss(model, batch)
        with using("loss", "going backward from it", model):
            loss.backward()
        return loss

    if isinstance(optimizer, torch.optim.LBFGS):
        return float(optimizer.step(closure))
    loss = closure()
    with using("optimizer", "making a step"):
        optimizer.step()
    return float(loss.detach())


def fit(
    bench: Bench,
    trained: tuple[torch.nn.Module, Any],
    batches: Iterable[Batch],
    seconds: float,
    enough: Callable[[list[float]], bool] = lambda _losses: False,
) -> list[float]:
    """Losses, one a batch, until there are no more, the time is up or they are enough."""
    losses: list[float] = []
    deadline = time.monotonic() + seconds
    for batch in batches:
        losses.append(step(bench, *trained, batch))
        if enough(losses) or time.monotonic() > deadline:
            break
    return losses


def unregularised(model: torch.nn.Module, optimizer: Any | None) -> None:
    """Dropout and weight decay off."""
    for module in model.modules():
        if isinstance(module, DROPOUTS):
            module.p = 0.0
        if isinstance(module, torch.nn.RNNBase | torch.nn.MultiheadAttention):
            module.dropout = 0.0
    for group in optimizer.param_groups if optimizer is not None else ():
        if "weight_decay" in group:
            group["weight_decay"] = 0.0


def rows(bench: Bench, batch: Batch, chosen: list[int]) -> Batch:
    """The same batch with these examples alone."""
    count = batch.examples
    index = torch.tensor(chosen)

    def take(tensor: torch.Tensor) -> torch.Tensor:
        return tensor[index.to(tensor.device)] if tensor.ndim and len(tensor) == count else tensor

    return bench.taken_apart(changed(batch.raw, take))


def has(model: torch.nn.Module, *kinds: type) -> bool:
    return any(isinstance(module, kinds) for module in model.modules())
