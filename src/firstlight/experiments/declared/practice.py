"""A short training as it is meant to be: how large are the steps, what is predicted after it, in which mode?"""

import math
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import BATCH_NORMS, DROPOUTS, has, step, unregularised
from firstlight.experiments.declared.hearing import hear
from firstlight.experiments.declared.predicting import predictions
from firstlight.experiments.declared.stumbling import line_of
from firstlight.records.declared import ModeGap, Updates
from firstlight.records.declared.upkeep import Update

STEPS = 150
SECONDS = 20.0
MEASURED = (6, 20)
"""Adam's first steps are larger than those that follow."""
MOST_MATRICES = 60
LARGEST = 50_000_000
"""Values beyond which weights are not copied to measure a step."""


def practice(bench: Bench) -> None:
    model = bench.model()
    optimizer = bench.optimizer(model)
    losses = _trained(bench, model, optimizer)
    _modes(bench, model, len(losses))
    predictions(bench, model, learnt=_fell(losses))


def _fell(losses: list[float]) -> bool:
    quarter = max(1, len(losses) // 4)
    return sum(losses[-quarter:]) < 0.95 * sum(losses[:quarter])


def _trained(bench: Bench, model: torch.nn.Module, optimizer: Any) -> list[float]:
    import time

    steps = bench.spec.steps if bench.spec is not None else STEPS
    scheduler = bench.scheduler(optimizer) if bench.experiment.scheduler is not None else None
    by_step = scheduler is not None and bench.experiment.schedule_every == "step"
    bench.seed()
    losses: list[float] = []
    deadline = time.monotonic() + SECONDS
    for batch in bench.forever():
        before = _copied(model) if len(losses) in MEASURED else []
        losses.append(step(bench, model, optimizer, batch))
        if before and len(losses) - 1 == MEASURED[-1]:
            bench.emit(_updates(bench, model, optimizer, (before, len(losses) - 1)))
        if by_step and scheduler is not None:
            scheduler.step()
        if len(losses) >= steps or time.monotonic() > deadline or not math.isfinite(losses[-1]):
            break
    return losses


def _copied(model: torch.nn.Module) -> list[tuple[str, torch.nn.Parameter, torch.Tensor]]:
    trained = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    if sum(p.numel() for _, p in trained) > LARGEST:
        return []
    return [(name, p, p.detach().clone()) for name, p in trained]


def _updates(bench: Bench, model: torch.nn.Module, optimizer: Any, measured: tuple[list[Any], int]) -> Updates:
    before, index = measured
    found = []
    for name, p, was in before:
        if p.ndim > 1 and float(was.std()) > 0:
            ratio = float((p.detach() - was).std()) / float(was.std())
            found.append(Update(name=name, log_ratio=math.log10(ratio) if ratio > 0 else -math.inf))
    group = optimizer.param_groups[0]
    return Updates(
        optimizer=type(optimizer).__name__,
        adaptive="betas" in group or "alpha" in group or "rho" in group,
        step=index,
        lr=float(group["lr"]),
        peak_lr=max(float(group["lr"]), float(group.get("initial_lr", 0.0)), float(group.get("max_lr", 0.0))),
        updates=tuple(found[:MOST_MATRICES]),
        moved=sum(not torch.equal(p.detach(), was) for _, p, was in before),
        tensors=len(before),
        site=line_of(bench.experiment.optimizer),
    )


def _modes(bench: Bench, model: torch.nn.Module, steps: int) -> None:
    """On the batch trained on, so that all that differs is the mode."""
    if not has(model, BATCH_NORMS, DROPOUTS):
        return
    dropouts = [module for module in model.modules() if isinstance(module, DROPOUTS)]
    strongest = max((module.p for module in dropouts), default=0.0)
    batch = bench.batch()
    with torch.no_grad():
        bench.seed()
        buffers = {name: value.clone() for name, value in model.named_buffers()}
        trained = float(bench.loss(model.train(), batch))
        unregularised(model, None)
        calm, flat = _heard(bench, model, batch)
        for name, value in model.named_buffers():
            value.copy_(buffers[name])
        evaluated, other = _heard(bench, model.eval(), batch)
    alike = float(torch.nn.functional.cosine_similarity(flat, other, dim=0)) if flat is not None is not other else 1.0
    bench.emit(
        ModeGap(
            steps=steps,
            train_loss=trained,
            eval_loss=evaluated,
            without_dropout=calm,
            cosine=alike,
            batch_norms=sum(isinstance(module, BATCH_NORMS) for module in model.modules()),
            strongest_dropout=float(strongest),
            site=line_of(type(model)),
        )
    )


def _heard(bench: Bench, model: torch.nn.Module, batch: Batch) -> tuple[float, Any]:
    heard = hear(bench, model, batch)
    prediction = heard.calls[0].prediction.flatten().float() if heard.calls else None
    return float(heard.total), prediction
