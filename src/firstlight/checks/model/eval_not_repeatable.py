"""In eval mode the model gives different outputs for the same input.

## What it sees
The difference between two passes over one batch in eval mode, relative to the spread of the outputs, and the first
module whose output differs.

## When it is fine
Some models sample on purpose (a variational encoder that also draws in eval mode): if random numbers are drawn and
nothing is dropped, this is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Repeat


class Limits(Settable):
    difference: float = 1e-5
    """Largest difference relative to the outputs' spread, in single precision; kernels that add in another order stay
    below."""
    low_precision_difference: float = 1e-2
    """The same in half precision."""


def find(repeat: Repeat, limits: Limits) -> Found:
    most = limits.low_precision_difference if repeat.low_precision else limits.difference
    if not repeat.eval_difference > most:
        return
    first = repeat.random_modules[0] if repeat.random_modules else None
    yield Evidence(
        where=at(repeat.site, module=first, rank=repeat.rank),
        saw=f"two passes in eval mode differ by {repeat.eval_difference:.2g} of the outputs' spread"
        + (f", first at `{first}`" if first else ""),
        wanted=f"at most {most:g}",
        severity=Severity.NOTE if repeat.sampled else None,
        likely=f"the model also samples in eval mode, with `{repeat.sampled[0]}`" if repeat.sampled else None,
        do="return the mean in eval mode, unless samples are wanted" if repeat.sampled else None,
        numbers={"difference": repeat.eval_difference},
    )


CHECK = Check(
    id="FL434",
    summary="in eval mode the same input gives different outputs",
    causes=("train-mode",),
    likely="`F.dropout` without `training=self.training`, attention dropout that is not switched off, or sampling",
    fix="pass `training=self.training` to every functional dropout",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
