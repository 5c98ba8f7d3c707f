"""The whole run makes a handful of steps.

## What it sees
The program came to its own end, and in all of it the optimizer stepped a few times only: each time after many
backwards, because gradients are gathered over whole epochs; or each time on all examples at once, because a batch holds
them all. The run is over before anything is learnt.

## When it is fine
Large batches are gathered from many small ones in long runs, which make thousands of steps; a run that was cut short by
the check is not judged. Optimizers that search along a line call backward many times within one step, and make few.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Stepping


class Limits(Settable):
    steps: int = 20
    """In the whole run, at the most: no optimizer of first order trains a network in so few."""
    backwards: int = 60
    """In the whole run, at the least, where gradients are gathered."""
    each: float = 16.0
    """Of them for a step, at the least."""
    examples: int = 256
    """In the one batch of an epoch, at the least: with fewer, there is nothing to divide."""


def find(stepping: Stepping, limits: Limits) -> Found:
    if not stepping.finished or not 0 < stepping.steps <= limits.steps:
        return
    made = f"{stepping.steps} step{'s' * (stepping.steps > 1)} in the whole run"
    if stepping.gathered >= max(limits.backwards, limits.each * stepping.steps):
        saw, cause = f"{stepping.gathered} backwards led to {made}", None
    elif stepping.gathered >= stepping.steps and stepping.whole_epochs >= limits.examples:
        saw, cause = f"{made}, each on all {stepping.whole_epochs} examples of the training loader", "hp-batch"
    else:
        return
    yield Evidence(
        where=at(stepping.backward_site, rank=stepping.rank),
        saw=saw,
        wanted=f"more than {limits.steps} steps",
        cause=cause,
        likely="a batch size that is larger than the data" if cause else None,
        do="take batches of 16 to 256 examples" if cause else None,
        severity=Severity.WARNING if cause else None,
        numbers={"backwards": stepping.gathered, "steps": stepping.steps},
    )


CHECK = Check(
    id="FL329",
    summary="the whole run makes a handful of steps",
    causes=("train-accumulation", "hp-batch"),
    likely="a number of batches to accumulate that is larger than an epoch",
    fix="gather over fewer batches: `accumulate_grad_batches`, `gradient_accumulation_steps`, the `%` before `step()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
