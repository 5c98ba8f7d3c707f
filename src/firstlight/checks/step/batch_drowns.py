"""A batch is so small that its gradient is nearly all noise.

## What it sees
The gradients of many batches are compared before training and again some steps in, to measure how far they scatter
around their mean. The noise scale is the number of examples whose mean gradient is half signal and half noise; here it
is many times the batch size, both times.

## When it is fine
Training on single examples at a small learning rate averages over steps instead of over a batch, and ends in the same
place; that is why this is a note. Late in training every gradient is mostly noise, so that phase is not measured.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import NoiseScale


class Limits(Settable):
    batches: float = 30.0
    """Largest noise scale, in batches: at this value even the mean of that many gradients is half noise."""


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
    likely="the batch size was chosen to fit memory, and the signal shows only over many examples",
    fix="use larger batches, or accumulate the gradients of several before each step",
    severity=Severity.NOTE,
    confidence=0.3,
    find=find,
)
