"""Learning by heart: two examples again and again. What cannot do that learns nothing."""

import itertools
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import BATCH_NORMS, fit, has, rows, unregularised
from firstlight.experiments.declared.hearing import hear
from firstlight.experiments.declared.reference import Reference, reference
from firstlight.experiments.declared.stumbling import line_of
from firstlight.records.declared import Overfit
from firstlight.records.program import Unseen

PAIR = 2
FEW = 8
"""A batch norm over two examples is no normalisation."""
STEPS = 300
RATES = (3e-3, 1e-3, 1e-2)
SECONDS = 12.0
LEARNT = 0.03
"""Share of the way from the first loss to the floor that may be left."""
MOST_KEPT = 400


def overfit(bench: Bench) -> None:
    batch = _few(bench)
    known = _known(bench, bench.model(), batch)
    least = known.floor if known is not None else None
    floor = least or 0.0
    own, hurried = _curve(bench, batch, floor, None) if bench.experiment.optimizer is not None else ([], False)
    (reference_losses, late), rate = _best_reference(bench, batch, floor, own)
    model = bench.model()
    if hurried or late:
        bench.emit(_unfinished("overfit", len(own or reference_losses), "steps"))
    bench.emit(
        Overfit(
            examples=batch.examples or 0,
            parameters=sum(p.numel() for p in model.parameters() if p.requires_grad),
            values=batch.target.numel() if isinstance(batch.target, torch.Tensor) else batch.examples or 0,
            own=tuple(own[:MOST_KEPT]),
            reference=tuple(reference_losses[:MOST_KEPT]),
            reference_lr=rate,
            floor=least,
            guess=known.constant if known is not None else None,
            double_activation_floor=known.double_activation if known is not None else None,
            hurried=hurried if own else late,
            site=line_of(bench.experiment.loss or bench.experiment.step),
        )
    )


def _unfinished(probe: str, count: int, unit: str) -> Unseen:
    return Unseen(step=0, tap=probe, reason=f"the time was up after {count} {unit}")


def _few(bench: Bench) -> Batch:
    """Examples with different targets, where there are such."""
    batch = bench.batch()
    count = FEW if has(bench.model(), BATCH_NORMS) else PAIR
    total = batch.examples or 0
    if total <= count:
        return batch
    chosen = list(range(count))
    target = batch.target
    if isinstance(target, torch.Tensor) and target.ndim and len(target) == total:
        flat = target.reshape(total, -1)
        other = (flat != flat[:1]).any(1).nonzero().flatten().tolist()
        chosen = [0, *other[: count - 1], *(row for row in range(1, total) if row not in other[: count - 1])][:count]
    return rows(bench, batch, sorted(chosen))


def _known(bench: Bench, model: torch.nn.Module, batch: Batch) -> Reference | None:
    """None where the loss is not one known function, or its targets are drawn anew each time."""
    with torch.no_grad():
        one, other = (hear(bench, model, batch).main for _ in range(2))
    if one is None or other is None or not torch.equal(one.target, other.target):
        return None
    return reference(one)


def learnt(losses: list[float], floor: float) -> bool:
    return losses[-1] - floor <= LEARNT * max(losses[0] - floor, 0.0)


def _curve(bench: Bench, batch: Batch, floor: float, rate: float | None) -> tuple[list[float], bool]:
    """With Adam at `rate`, else with the experiment's own optimizer; and whether the time was up before the steps."""
    model = bench.model()
    optimizer: Any = torch.optim.Adam(model.parameters(), lr=rate) if rate is not None else bench.optimizer(model)
    unregularised(model, optimizer)
    trained = (model, optimizer)
    losses = fit(bench, trained, itertools.repeat(batch, STEPS), SECONDS, lambda found: learnt(found, floor))
    asked = STEPS
    if not learnt(losses, floor) and losses[-1] < 0.98 * losses[-len(losses) // 4 :][0]:
        losses += fit(bench, trained, itertools.repeat(batch, 2 * STEPS), SECONDS, lambda found: learnt(found, floor))
        asked *= 3
    return losses, len(losses) < asked and not learnt(losses, floor)


def _best_reference(
    bench: Bench, batch: Batch, floor: float, own: list[float]
) -> tuple[tuple[list[float], bool], float]:
    """Only where the experiment's own optimizer leaves the question open."""
    best: tuple[tuple[list[float], bool], float] = (([], False), 0.0)
    if own and learnt(own, floor):
        return best
    for rate in RATES:
        curve = _curve(bench, batch, floor, rate)
        if not best[0][0] or curve[0][-1] < best[0][0][-1]:
            best = (curve, rate)
        if learnt(curve[0], floor):
            break
    return best
