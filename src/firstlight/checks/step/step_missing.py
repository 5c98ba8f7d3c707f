"""Backward runs, but no optimizer step follows.

## What it sees
The program took many gradients and never stepped the optimizer that holds the parameters; or it cleared most of them
before a step used them; or, without an optimizer, no weight changed between two backwards. Where an exception was
raised after most of these backwards, and swallowed, that is what is told.

## When it is fine
Very long gradient accumulation: raise `--steps` or `--seconds` until the first step is reached.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Stepping
from firstlight.records.program import Swallowed


class Limits(Settable):
    backwards: int = 100
    """Longer than usual gradient accumulation."""
    unused: int = 20
    """Backwards whose gradients were cleared before a step used them."""
    times: float = 4.0
    """As many as there are steps, at the least: two players, and methods that look ahead, clear one for each step."""
    raised: float = 0.5
    """Share of the backwards looked at after which an exception was raised, from which on it is the reason."""


def find(stepping: Stepping, limits: Limits) -> Found:
    idle = {name: times for name, times in stepping.unstepped.items() if times >= limits.backwards}
    lost = {
        name: (unused, steps)
        for name, (unused, steps) in stepping.unused.items()
        if unused >= limits.unused and unused > limits.times * steps
    }
    if lost:
        name, (unused, steps) = max(lost.items(), key=lambda one: one[1])
        saw = f"the gradients of {unused} backwards were cleared before a step of {name} used them; it made {steps}"
    elif idle:
        saw = f"{max(idle.values())} backwards, and no step of {', '.join(idle)}"
    elif stepping.backwards >= limits.backwards and not stepping.optimizers and stepping.weights_moved is False:
        saw = f"{stepping.backwards} backwards, no optimizer, and no weight changed"
    else:
        return
    raised = stepping.swallowed
    if raised is not None and raised.times >= limits.raised * raised.looks:
        yield _swallowed(stepping, raised, saw)
        return
    yield Evidence(
        where=at(stepping.backward_site, rank=stepping.rank),
        saw=saw,
        wanted="an `optimizer.step()` after the backward",
        numbers={"backwards": stepping.backwards, "steps": stepping.steps},
    )


def _swallowed(stepping: Stepping, raised: Swallowed, saw: str) -> Evidence:
    return Evidence(
        where=at(raised.site, rank=stepping.rank),
        saw=f"{saw}; an exception is raised here after the backward, and the program goes on: {raised.error}",
        wanted="no exception, or one that ends the program",
        cause="train-swallowed",
        likely="an `except` or `suppress` around the step catches every exception, also those that tell of a bug",
        do="mend what the exception tells of, and catch only what is expected",
        numbers={"backwards": stepping.backwards, "steps": stepping.steps, "raised": raised.times},
    )


CHECK = Check(
    id="FL302",
    summary="gradients are computed and never used",
    causes=("train-no-step", "train-swallowed"),
    likely="`optimizer.step()` is missing, stands outside the loop, is skipped by a condition, or belongs to another "
    "optimizer",
    fix="call `optimizer.step()` after `backward()`",
    severity=Severity.ERROR,
    confidence=0.95,
    exhaustive=True,
    find=find,
)
