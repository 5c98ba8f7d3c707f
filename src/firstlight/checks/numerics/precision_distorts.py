"""The first step in the declared precision differs from the same step in full precision.

## What it sees
The same weights and batch, with dropout off, in float32 and under `torch.autocast`: the loss, the direction of all
gradients taken together, gradients that become infinite or vanish, and how close the outputs of layers come to the
largest representable number. It runs only if the experiment declares `precision`.

## When it is fine
A `GradScaler` rescues small float16 gradients: gradients that vanish without one are reported only if there are many.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import PrecisionTried


class Limits(Settable):
    loss: float = 0.05
    """Largest acceptable relative difference of the losses; bfloat16 keeps about two digits, and a mean over a batch
    keeps more."""
    cosine: float = 0.95
    """Lowest acceptable cosine between the gradients of both precisions; rounding alone leaves 0.99 or more."""
    vanished: float = 0.2
    """Largest acceptable share of the gradients that are zero in the lower precision only."""
    headroom: float = 0.25
    """Largest share of the type's largest number that an output may reach before training; over a run, activations
    grow by more than a factor of four."""


def find(tried: PrecisionTried, limits: Limits) -> Found:
    where = at(tried.site, rank=tried.rank)
    numbers: dict[str, float | int | str | bool | None] = {"full": tried.full_loss, "low": tried.low_loss}
    if not math.isfinite(tried.full_loss):
        return
    if tried.nonfinite or not math.isfinite(tried.low_loss):
        yield Evidence(
            where=where,
            saw=f"in {tried.precision} the loss is {tried.low_loss:.4g} and {tried.nonfinite} of {tried.tensors} "
            f"gradients are not finite; in float32 the loss is {tried.full_loss:.4g}",
            wanted="finite values in both precisions",
            severity=Severity.ERROR,
            numbers=numbers,
        )
        return
    apart = abs(tried.full_loss - tried.low_loss) / max(abs(tried.full_loss), abs(tried.low_loss), 1e-12)
    turned = tried.cosine is not None and tried.cosine < limits.cosine
    if apart > limits.loss or turned:
        yield Evidence(
            where=where,
            saw=f"the loss is {tried.full_loss:.4g} in float32 and {tried.low_loss:.4g} in {tried.precision}"
            + (f"; the gradients have a cosine of {tried.cosine:.2f}" if tried.cosine is not None else ""),
            wanted=f"losses within {limits.loss:.0%} of each other, and a cosine of {limits.cosine:g} or more",
            numbers=numbers | {"cosine": tried.cosine},
        )
    if tried.vanished > limits.vanished:
        yield Evidence(
            where=where,
            saw=f"{tried.vanished:.0%} of the gradients vanish in {tried.precision}",
            wanted=f"at most {limits.vanished:.0%}",
            likely="they are smaller than the smallest number the type can represent",
            do="train with `torch.amp.GradScaler`, or in bfloat16",
            numbers={"vanished": tried.vanished},
        )
    if tried.headroom > limits.headroom:
        yield Evidence(
            where=at(tried.site, module=tried.largest, rank=tried.rank),
            saw=f"`{tried.largest}` reaches {tried.headroom:.0%} of the largest {tried.precision} number",
            wanted=f"at most {limits.headroom:.0%} before training begins",
            likely="scores or sums that grow with the layer width are not computed in float32",
            do="scale that layer's output, or compute it in float32 under `torch.autocast(…, enabled=False)`",
            numbers={"headroom": tried.headroom},
        )


CHECK = Check(
    id="FL630",
    summary="the declared precision changes the loss or the gradients",
    causes=("num-precision",),
    likely="a reduction, an exponential or a difference of large numbers is computed in too few bits",
    fix="compare the outputs layer by layer in both precisions, and compute the first one that differs in float32",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
