"""The learning rate is so low that the loss does not move, or falls far too little by the end of the run.

## What it sees
The program made almost no progress, while a copy of it from the same first batch, with ten or more times the learning
rate and no other change, learned a good deal. If there is a copy whose rate is zero, progress is measured against it:
it sees the same batches, so differences between batches are not mistaken for learning. If the whole run is short
enough, a program that does learn is also reported. Its loss must end far above that of a copy that ran to the end at
ten times the rate, and above that of one at a hundred times: the best rate is then closer to the latter than to the
program's own. A higher rate is often ahead early on; what counts is the end.

## When it is fine
Losses that are not meant to fall (policy gradients, adversarial losses) are not judged: the program must compare
predictions with targets that the network had no part in, and one optimizer must train it. A warm-up that is still near
its start looks the same; the report then comes from too few steps. A program that leaves a plateau later than the copy
is not reported, nor is a short run that a somewhat higher rate would take further: that is tuning.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.checks.learning import learnt_by_heart
from firstlight.records.contrast import HIGHER_RATES, UNMOVED, WHOLE_HIGHER, Contrast, Level, Pair, WholeRun


class Limits(Settable):
    steps: int = 100
    """Fewest optimizer steps; fewer say little about a slow start."""
    stands: float = 0.02
    """Largest share of its first loss by which a program that is not moving has changed."""
    moves: float = 0.3
    """Share that the copy with the higher rate must lose."""
    ahead: float = 0.3
    """Share of the copy's gain by the end of the run that the program missed. A cautious rate in a short run misses as
    much, so the copy at a hundred times the rate must be ahead too."""
    told: float = 0.02
    """Share by which numbers that the program prints must differ to count: the higher rate is better only where none of
    them becomes worse by that, and of its scores, where it prints any, one becomes better by that."""


def find(contrast: Contrast, limits: Limits) -> Found:
    by_heart = contrast.by_heart(learnt_by_heart.CHECK.limits.gained)
    if not contrast.meant_to_fall or (by_heart is not None and not by_heart < learnt_by_heart.CHECK.limits.by_heart):
        return
    runs = [run for name in WHOLE_HIGHER if (run := contrast.at_end(name)) is not None]
    far = [run for run in runs if run.ahead >= limits.ahead and run.is_of_use(limits.told)]
    if far and _is_far_from_best(contrast):
        yield _by_the_end(contrast, min(far, key=lambda run: run.other.last))
        return
    rungs = [(name, pair) for name in HIGHER_RATES if (pair := contrast.of(name)) is not None]
    fair = [(name, pair) for name, pair in rungs if contrast.updates(pair) >= limits.steps]
    found = [(name, pair) for name, pair in fair if _wakes(contrast, pair, limits)]
    if not found:
        return
    name, pair = min(found, key=lambda rung: rung[1].other.last)
    start, factor = _start(contrast, pair), HIGHER_RATES[name]
    yield Evidence(
        where=at(contrast.lr_site, rank=contrast.rank),
        saw=f"in {contrast.updates(pair):.0f} steps the loss went from {start:.4g} to {pair.base.last:.4g}; with "
        f"{factor:,} times the learning rate, from the same start, to {pair.other.last:.4g}",
        wanted="visible progress within the first hundred steps",
        do=f"multiply the learning rate by {factor:,}"
        f"{f', from {contrast.lr:g} to {contrast.lr * factor:g},' if contrast.lr else ''} and check again",
        numbers={"base": pair.base.last, "higher": pair.other.last, "factor": factor},
    )


def _is_far_from_best(contrast: Contrast) -> bool:
    """A hundred times the rate gets further too, so the best rate lies at about ten times or above."""
    highest = contrast.at_end(max(WHOLE_HIGHER, key=WHOLE_HIGHER.__getitem__))
    return highest is not None and highest.other.finite and highest.other.last < highest.base.last


def _by_the_end(contrast: Contrast, run: WholeRun) -> Evidence:
    factor = WHOLE_HIGHER[run.name]
    return Evidence(
        where=at(contrast.lr_site, rank=contrast.rank),
        saw=f"by the end of its run the loss went from {run.base.first:.4g} to {run.base.last:.4g}; with {factor} "
        f"times the learning rate, in {run.steps} steps, to {run.other.last:.4g}{run.says()}",
        wanted="a learning rate at which the planned steps suffice",
        likely="the learning rate is an order of magnitude too low for a run of this length",
        do=f"multiply the learning rate by {factor}"
        f"{f', from {contrast.lr:g} to {contrast.lr * factor:g},' if contrast.lr else ''} or train far longer",
        numbers={"base": run.base.last, "higher": run.other.last, "factor": factor, "ahead": run.ahead},
    )


def _wakes(contrast: Contrast, pair: Pair, limits: Limits) -> bool:
    """The program does not move until the end of what was seen of it, and the copy does."""
    start = _start(contrast, pair)
    stands = abs(_lost(start, pair.base)) <= limits.stands and not contrast.gets_there(start, limits.moves * abs(start))
    return stands and _lost(start, pair.other) >= limits.moves


def _start(contrast: Contrast, pair: Pair) -> float:
    """The loss of the starting weights; the faster run may have left them after a single step."""
    unmoved = contrast.of(UNMOVED)
    if unmoved is not None and unmoved.steps == pair.steps and unmoved.other.finite:
        return unmoved.other.last
    return min(pair.base.first, pair.other.first)


def _lost(start: float, level: Level) -> float:
    return (start - level.last) / abs(start) if level.finite and start else math.nan


CHECK = Check(
    id="FL504",
    summary="the learning rate is too low for the run",
    causes=("hp-lr-low",),
    likely="the learning rate is too low by an order of magnitude",
    fix="raise the learning rate tenfold and check again",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    symptom=True,
)
