"""Every epoch reads the data in the same order, because `set_epoch` is not called.

## What it sees
The epoch number of a shuffling `DistributedSampler` each time its loader starts over. The sampler derives its order
from that number alone, so the same number gives the same order and the same batches.

## When it is fine
A sampler created with `shuffle=False` keeps one order on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.ranks import DistributedOrder


class Limits(Settable):
    epochs: int = 2
    """Fewest passes begun with the same epoch number."""


def find(order: DistributedOrder, limits: Limits) -> Found:
    if order.rank or len(order.epochs) < limits.epochs or len(set(order.epochs)) > 1:
        return
    yield Evidence(
        where=at(order.site),
        saw=f"{len(order.epochs)} passes over the loader all began with its sampler at epoch {order.epochs[0]}",
        wanted="`sampler.set_epoch(epoch)` before each pass",
        numbers={"epochs": len(order.epochs)},
    )


CHECK = Check(
    id="FL904",
    summary="a DistributedSampler gives every epoch the same order",
    causes=("env-distributed",),
    likely="`sampler.set_epoch(epoch)` is missing at the beginning of the epoch",
    fix="call `loader.sampler.set_epoch(epoch)` before iterating over the loader",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
