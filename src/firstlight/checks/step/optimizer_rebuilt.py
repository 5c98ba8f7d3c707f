"""The optimizer, or the model with it, is made anew again and again, and forgets.

## What it sees
One line built an optimizer for the same parameters several times during training. Each had gathered momentum or
second moments in a few steps, and was replaced while the weights stayed as it had left them. Or what one optimizer had
gathered was gone each time its next step came. In a rehearsal also: model after model of the same shapes was built on
one line, trained, and let go of before anybody had asked it anything, read or saved it; only the last one is used.

## When it is fine
Tasks or stages learnt one after the other, each with a fresh optimizer. Folds and searches, which make a new model
or reset its weights, optimizers that keep nothing from step to step, and states copied over are not reported; nor are
models that are evaluated, kept or averaged before the next one, or that differ in their shapes or rates.
"""

import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Rebuilding


class Limits(Settable):
    times: int = 4
    """A few may be planned: layers thawed, training in stages."""
    steps: int = 100
    """A stage of training takes longer; shorter than Adam's memory of second moments."""
    certain_steps: int = 10
    """No stage is so short."""
    given_up: int = 3
    """One or two may be trials before the real one."""


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
        saw=f"{times} models (`{built.model}`) were built here one after the other, trained, and let go of: nobody had "
        f"asked, read, copied or saved them, and only {built.used} of {times + built.used} were used",
        wanted="one model that goes on from what it has learnt, or a use for each",
        likely="the model is built inside the training loop, or in a function called for each part of the data",
        do="build the model and its optimizer once, before the loop; train on with them",
        confidence=0.85,
        numbers={"given_up": times, "used": built.used, "median_steps": statistics.median(built.given_up)},
    )


CHECK = Check(
    id="FL308",
    summary="the optimizer, or the whole model, is made anew again and again and forgets",
    causes=("train-reinit",),
    likely="the optimizer is built inside the training loop, or in a function called for each epoch",
    fix="build the optimizer once, before the loop; change its learning rate through `param_groups` or a scheduler",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
