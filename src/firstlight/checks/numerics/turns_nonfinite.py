"""NaN or infinity appears in a run that was finite until then.

## What it sees
The first step of a live run at which the loss, a gradient or a weight contains a NaN or an infinity. Whatever follows
from it is not reported again. On the CPU the graph of a bad loss is read before its backward, to name the first bad
number in it and the module where it was seen. An evaluation loss that the program reports (`guard.log(val_loss=…)`,
Lightning, the Trainer) is examined as well.

## When it is fine
A loss scaler tries large scales on purpose: it skips the steps whose gradients overflow, and they are not counted here
as long as the loss and the weights stay finite.
"""

import math
from statistics import median

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import Turned

MASKED = (
    "data-labels-masked",
    "a batch of nothing but padding, or with every target truncated, leaves no targets to average over",
    "skip such batches, or divide a summed loss by the number of targets, at least 1",
)
FED = (
    "data-nonfinite",
    "an example contains a NaN or an infinity: a missing value, or a division or logarithm in the preprocessing",
    "drop or repair such examples; the captured batch contains them",
)
HALF = (
    "num-precision",
    "float16 ends at 65504; the same numbers are finite in float32 and bfloat16",
    "use bfloat16, or compute that operation in float32: `with torch.autocast(…, enabled=False)` around it",
)
RAN_AWAY = (
    "hp-lr-high",
    "the steps are too large: the numbers grew until they overflowed",
    "divide the learning rate by 10, or clip the gradients",
)


class Limits(Settable):
    runaway: float = 10.0
    """Growth factor of the loss or of the gradients over the preceding steps from which on the step size is blamed."""


def find(turned: Turned, limits: Limits) -> Found:
    if turned.kind == "evaluation":
        yield _evaluated(turned)
        return
    growth = max(_growth(turned.earlier), _growth(turned.norms))
    ran_away = growth >= limits.runaway
    what = {
        "loss": "the loss is not finite",
        "gradient": f"the gradients of {turned.bad} of {turned.tensors} tensors are not finite, though the loss is",
        "weight": f"{turned.bad} of {turned.tensors} weights are not finite, though loss and gradients still were",
    }[turned.kind if turned.kind in ("loss", "gradient") else "weight"]
    before = f"; it was {turned.earlier[-1]:.4g} one step earlier" if turned.kind == "loss" and turned.earlier else ""
    nearest = f"; the one nearest to the loss is `{turned.name}`" if turned.name and turned.kind == "gradient" else ""
    came = f"; {turned.origin}" if turned.origin else ""
    leapt = f"; the gradients had jumped at step {turned.leapt_at}" if turned.leapt_at is not None else ""
    grew = f"; over the last {len(turned.norms)} steps it had grown {growth:.3g}-fold" if ran_away else ""
    held = f"; the batch itself contains {turned.fed} value(s) that are not finite: {turned.holding}"
    held = held if turned.holding else ""
    chosen = FED if turned.fed else MASKED if turned.masked else HALF if turned.half else RAN_AWAY if ran_away else None
    cause, likely, do = chosen or ("num-nonfinite", None, None)
    yield Evidence(
        where=Where(module=turned.module or turned.name, step=turned.step, rank=turned.rank),
        saw=f"at step {turned.step} {what}{before}{came}{held}{nearest}{leapt}{grew}",
        wanted="finite numbers",
        cause=cause,
        likely=likely,
        do=do,
        confidence=0.7 if chosen is RAN_AWAY else None,
        numbers={"step": turned.step, "bad": turned.bad, "tensors": turned.tensors, "growth": growth},
    )


def _evaluated(turned: Turned) -> Evidence:
    """Training itself may be fine: its own NaN would be a finding with another cause."""
    before = f"; it was {turned.earlier[-1]:.4g} at the previous evaluation" if turned.earlier else ""
    return Evidence(
        where=Where(step=turned.step, rank=turned.rank),
        saw=f"at step {turned.step} the program reported a `{turned.evaluation}` that is not finite{before}",
        wanted="finite numbers",
        cause="data-nonfinite",
        likely="the evaluation data contains a NaN, or the mean is taken over no targets or no batches",
        do="find the first evaluation batch whose loss is not finite, and look at its inputs and targets",
        confidence=0.6,
        numbers={"step": turned.step},
    )


def _growth(values: tuple[float, ...]) -> float:
    """The last value divided by the median."""
    kept = [abs(value) for value in values if math.isfinite(value) and value]
    return kept[-1] / median(kept) if kept else 0.0


CHECK = Check(
    id="FL670",
    summary="NaN or infinity appears in a run that was finite",
    causes=("num-nonfinite", "hp-lr-high", "data-nonfinite", "num-precision", "data-labels-masked"),
    likely="a division by zero, the logarithm or root of a number that is not positive, or a NaN in an example",
    fix="replay the captured step or run `firstlight check`; both name the first operation whose result is not finite",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
