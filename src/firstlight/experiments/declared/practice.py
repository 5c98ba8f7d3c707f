"""A short training as it is meant to be: what is predicted after it, and is that the same in both modes?"""

import math
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import BATCH_NORMS, DROPOUTS, has, step, unregularised
from firstlight.experiments.declared.hearing import hear
from firstlight.experiments.declared.predicting import predictions
from firstlight.experiments.declared.stumbling import line_of
from firstlight.records.declared import ModeGap

STEPS = 150
SECONDS = 20.0


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
        losses.append(step(bench, model, optimizer, batch))
        if by_step and scheduler is not None:
            scheduler.step()
        if len(losses) >= steps or time.monotonic() > deadline or not math.isfinite(losses[-1]):
            break
    return losses


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
