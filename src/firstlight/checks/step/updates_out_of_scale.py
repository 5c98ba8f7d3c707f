"""One optimizer step changes the weights by far too much, or by next to nothing.

## What it sees
Some steps in, the spread of one step's change over the spread of the weights, for every matrix, measured around the
step itself and judged by the kind of optimizer; scaled to the peak of the schedule.

## When it is fine
Fine-tuning moves little on purpose; embeddings and zero-initialised layers are left out.
"""

import math
import statistics
from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.declared import Updates
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    largest: float = -0.5
    """Log10; a third of the weights' spread in one step, where healthy runs of any optimizer stay below a tenth."""
    smallest_adaptive: float = -6.0
    """Log10; Adam at a rate that would need a million steps to move the weights by their own size."""
    smallest_plain: float = -7.0
    """Log10; plain steps are healthy from -5 on, and small gradients make them smaller."""


def find(updates: Updates, limits: Limits) -> Iterator[Evidence]:
    finite = [update.log_ratio for update in updates.updates if math.isfinite(update.log_ratio)]
    if not finite or updates.lr <= 0:
        return
    rise = math.log10(max(updates.peak_lr / updates.lr, 1.0))
    middle = statistics.median(finite)
    least = limits.smallest_adaptive if updates.adaptive else limits.smallest_plain
    where = at(updates.site, step=updates.step, rank=updates.rank)
    told = f"a step of {updates.optimizer} at lr {updates.lr:.3g} changes a matrix by 10^{middle:.1f} of its spread"
    numbers: dict[str, float | int | str | bool | None] = {"log_ratio": middle, "lr": updates.lr}
    if middle > limits.largest:
        yield Evidence(
            where=where, saw=told, wanted=f"at most 10^{limits.largest:g}", cause="hp-lr-high", numbers=numbers
        )
    elif middle + rise < least:
        yield Evidence(
            where=where,
            saw=told,
            wanted=f"at least 10^{least:g}",
            cause="hp-lr-low",
            likely="the learning rate is far too low, or the loss is scaled down",
            do="raise the learning rate by tens until the loss moves within a hundred steps",
            numbers=numbers,
        )


CHECK = Check(
    id="FL331",
    name="updates-out-of-scale",
    summary="one step changes the weights by far too much or next to nothing",
    causes=("hp-lr-high", "hp-lr-low"),
    likely="the learning rate is far too high for this model",
    fix="lower the learning rate by ten and look again",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
