"""The optimizer, or the model with it, is rebuilt again and again and loses what it has learned.

## What it sees
One line built an optimizer for the same parameters several times during training. Each gathered momentum or second
moments in a few steps and was then replaced, while the weights stayed as it had left them. Or the state of one
optimizer was gone each time its next step came. In a rehearsal, also: one line built model after model of the same
shapes, each was trained and then dropped before anything had called, read or saved it, and only the last one is used.

## When it is fine
Tasks or stages may be learnt one after the other, each with a fresh optimizer. Not reported: folds and searches, which
build a new model or reset its weights; optimizers that keep no state, or whose state is copied over; and models that
are evaluated, kept or averaged before the next one is built, or that differ in shapes or learning rates.
"""

import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Rebuilding


class Limits(Settable):
    times: int = 4
    """Fewest rebuilds; a few may be planned, for layers that are unfrozen or training in stages."""
    steps: int = 100
    """Largest median number of steps between rebuilds. A training stage takes longer; so does Adam's memory."""
    certain_steps: int = 10
    """Median number of steps up to which this is an error, because no stage is that short."""
    given_up: int = 3
    """Fewest models trained and dropped; one or two may be trials before the real one."""


def find(built: Rebuilding, limits: Limits) -> Found:
    if len(built.given_up) >= limits.given_up and len(built.given_up) > built.used:
        yield _given_up(built)
    emptied = built.forgotten > built.times
    times = max(built.forgotten, built.times)
    if times < limits.times or not built.stateful or built.closure or not built.lives:
        return
    median = max(built.lives) / (times + 1) if emptied else statistics.median(built.lives)
    if median > limits.steps:
        return
    certain = median <= limits.certain_steps
    what = f"lost its state {times} times" if emptied else f"was built again {times} times for the same parameters"
    yield Evidence(
        where=at(built.site, rank=built.rank),
        saw=f"`{built.optimizer}` {what}, after {'about' if emptied else 'a median of'} {median:.3g} "
        f"{'step' if median == 1 else 'steps'}",
        wanted="one optimizer for the whole training",
        likely="something empties `optimizer.state` inside the training loop" if emptied else None,
        do="remove what empties the state, so that it lasts from step to step" if emptied else None,
        severity=Severity.ERROR if certain else None,
        confidence=0.94 if certain else None,
        numbers={"times": times, "median_steps": median},
    )


def _given_up(built: Rebuilding) -> Evidence:
    times = len(built.given_up)
    return Evidence(
        where=at(built.site, rank=built.rank),
        saw=f"{times} models (`{built.model}`) were built here one after the other, trained and dropped without being "
        f"called, read, copied or saved; only {built.used} of {times + built.used} were used",
        wanted="one model that keeps training, or a use for each",
        likely="the model is built inside the training loop, or in a function called for each part of the data",
        do="build the model and its optimizer once, before the loop, and keep training them",
        confidence=0.85,
        numbers={"given_up": times, "used": built.used, "median_steps": statistics.median(built.given_up)},
    )


CHECK = Check(
    id="FL308",
    summary="the optimizer, or the whole model, is rebuilt again and again and loses its state",
    causes=("train-reinit",),
    likely="the optimizer is built inside the training loop, or in a function called for each epoch",
    fix="build the optimizer once, before the loop; change its learning rate through `param_groups` or a scheduler",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
