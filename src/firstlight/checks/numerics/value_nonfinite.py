"""A NaN or an infinity appears in training.

## What it sees
The first value that is not finite, in a module's output, the loss, a gradient or a weight, while the inputs are
finite. The operation is named if the graph shows it. If the loss had grown many times over before, the run diverged,
and this value is only where the growth ended.

## When it is fine
A GradScaler finds its scale by way of occasional non-finite gradients; they are not reported.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import FirstBad


class Limits(Settable):
    diverged: float = 10.0
    """Ratio of the last finite loss to the first above which the run was already diverging."""
    least_losses: int = 2
    """Fewest earlier losses from which growth can be judged."""


def find(bad: FirstBad, limits: Limits) -> Found:
    if bad.kind == "input":
        return
    grew = _growth(bad, limits)
    what = {"activation": f"the output of `{bad.module}`", "parameter": f"the weight `{bad.module}`"}.get(
        bad.kind, f"the {bad.kind}"
    )
    how = f": {bad.detail}" if bad.detail else ""
    if bad.in_float32 is not None:
        yield Evidence(
            where=at(bad.site, module=bad.module, step=bad.step, rank=bad.rank),
            saw=f"in float32 the same step is finite, with a loss of {bad.in_float32:.4g}; in the program's own "
            f"precision {what} is not{how}{_given(bad)}",
            wanted="numbers within the range of that precision",
            cause="num-precision",
            likely="half precision overflows: the numbers are correct, but too large for the type",
            do=bad.remedy or "use bfloat16, or compute this operation in float32",
            numbers={"step": bad.step, "operation": bad.operation, "in_float32": bad.in_float32},
        )
        return
    if grew is not None:
        yield Evidence(
            where=at(bad.lr_site or bad.site, step=bad.step, rank=bad.rank),
            saw=f"{what} is not finite at step {bad.step}, after the loss had grown {grew:.3g}-fold"
            + (f" at learning rate {bad.lr:g}" if bad.lr else ""),
            wanted="a loss that falls",
            cause="hp-lr-high",
            confidence=0.85,
            likely="the learning rate is too high: the run diverged until the numbers overflowed",
            do="divide the learning rate by 10 and check again",
            numbers={"step": bad.step, "growth": grew},
        )
        return
    yield Evidence(
        where=at(bad.site, module=bad.module, step=bad.step, rank=bad.rank),
        saw=f"{what} is not finite at step {bad.step}{how}{_given(bad)}",
        wanted="finite values throughout",
        do=bad.remedy or None,
        numbers={"step": bad.step, "operation": bad.operation},
    )


def _given(bad: FirstBad) -> str:
    """The operation's inputs, as far as they were seen."""
    shown = (
        f"`{item.name}` {'×'.join(map(str, item.tensor.shape)) or 'scalar'} {item.tensor.dtype} "
        f"in [{item.tensor.low:.3g}, {item.tensor.high:.3g}]"
        for item in bad.inputs
    )
    return f"; `{bad.operation}` was given {', '.join(shown)}" if bad.inputs else ""


def _growth(bad: FirstBad, limits: Limits) -> float | None:
    finite = [abs(value) for value in bad.earlier if math.isfinite(value)]
    if len(finite) < limits.least_losses or finite[0] == 0:
        return None
    grew = finite[-1] / finite[0]
    return grew if grew > limits.diverged else None


CHECK = Check(
    id="FL601",
    summary="a NaN or infinity appears in training",
    causes=("num-nonfinite", "hp-lr-high", "num-precision"),
    likely="a logarithm, division, root or exponential at the edge of its domain",
    fix="clamp or add a small epsilon at the operation named above",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
    symptom=True,
)
