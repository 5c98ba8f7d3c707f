"""A batch is so small that its gradient is nearly all noise.

## What it sees
The gradients of many batches, before training and some steps in: how far they scatter around their mean. The noise
scale is the number of examples whose gradient is half signal and half noise; here it is many batches, at both moments.

## When it is fine
Training with single examples at a small learning rate averages over steps instead of over a batch, and ends at the same
place. Late in training every gradient is mostly noise; that is not looked at. So it is a note.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import NoiseScale


class Limits(Settable):
    batches: float = 30.0
    """The noise scale in batches: even the mean of so many gradients is half noise."""


def find(noise: NoiseScale, limits: Limits) -> Found:
    if noise.first is None or noise.later is None:
        return
    most = limits.batches * noise.batch
    if not (noise.first > most and noise.later > most):
        return
    scale = min(noise.first, noise.later)
    told = f"{scale:,.0f} examples" if math.isfinite(scale) else f"more than {noise.batches * noise.batch:,} examples"
    yield Evidence(
        where=at(noise.site, step=noise.steps, rank=noise.rank),
        saw=f"batches are of size {noise.batch}, and the gradient's noise scale is {told}",
        wanted=f"a noise scale of at most {limits.batches:g} batches",
        numbers={"batch": noise.batch, "first": noise.first, "later": noise.later},
    )


CHECK = Check(
    id="FL334",
    summary="a batch is so small that its gradient is nearly all noise",
    causes=("hp-batch",),
    likely="a batch size chosen for memory, with a signal that shows only over many examples",
    fix="use larger batches, or add up the gradients of several before each step",
    severity=Severity.NOTE,
    confidence=0.3,
    find=find,
)
