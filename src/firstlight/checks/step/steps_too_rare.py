"""The whole run makes only a handful of optimizer steps.

## What it sees
The program ran to its end, and the optimizer stepped only a few times: each time after many backwards, because
gradients are accumulated over whole epochs; or each time on all examples at once, because one batch holds them all. The
run is over before anything is learnt.

## When it is fine
Long runs may accumulate large batches from many small ones and still make thousands of steps. A run that was cut short
by firstlight is not judged. Optimizers with a line search call backward many times within one step and make few steps.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Stepping


class Limits(Settable):
    steps: int = 20
    """Most steps in the whole run that are reported; no first-order optimizer trains a network in so few."""
    backwards: int = 60
    """Fewest backwards in the whole run, if gradients are accumulated."""
    each: float = 16.0
    """Fewest backwards per step, if gradients are accumulated."""
    examples: int = 256
    """Fewest examples, if an epoch is a single batch; a smaller batch is not worth splitting."""


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
        likely="the batch size is at least as large as the dataset" if cause else None,
        do="use batches of 16 to 256 examples" if cause else None,
        severity=Severity.WARNING if cause else None,
        numbers={"backwards": stepping.gathered, "steps": stepping.steps},
    )


CHECK = Check(
    id="FL329",
    summary="the whole run makes only a handful of optimizer steps",
    causes=("train-accumulation", "hp-batch"),
    likely="gradients are accumulated over more batches than an epoch has",
    fix="use fewer batches: `accumulate_grad_batches`, `gradient_accumulation_steps`, the `%` before `step()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
