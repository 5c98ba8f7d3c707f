"""The weights grow to many times their size and do not stop.

## What it sees
Most weight matrices have grown several times over since the guard first saw them, while their updates stay large.

## When it is fine
Embeddings, adapters and zero-initialised parts grow from small beginnings while a model learns: it is a note as long as
the loss lies below where it began.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorTrack


class Limits(Settable):
    times: float = 5.0
    """Growth since the first look."""
    most: float = 0.5
    """Share of the matrices."""
    update: float = 3e-3
    """Of an update over its weight: below that growth has come to an end."""
    looks: int = 12
    """Eight steps apart."""
    remaining: float = 1.0
    """Share of the starting loss from which on the growth does no good, and is a warning."""


def find(track: TensorTrack, limits: Limits) -> Found:
    matrices = [t for t in track.tensors if t.matrix and not t.weight_start <= 0]
    grown = [t for t in matrices if t.weight_now > limits.times * t.weight_start and t.update_now > limits.update]
    if track.looks < limits.looks or not grown or len(grown) < limits.most * len(matrices):
        return
    worst = max(grown, key=lambda tensor: tensor.weight_now / tensor.weight_start)
    yield Evidence(
        where=Where(module=worst.name, step=track.step, rank=track.rank),
        saw=f"`{worst.name}` has grown from norm {worst.weight_start:.3g} to {worst.weight_now:.3g}, and "
        f"{len(grown)} of "
        f"{len(matrices)} matrices more than {limits.times:g} times",
        wanted="weights that stay of the same order",
        severity=Severity.WARNING if track.remaining > limits.remaining else None,
        numbers={"start": worst.weight_start, "now": worst.weight_now, "matrices": len(grown)},
    )


CHECK = Check(
    id="FL475",
    summary="the weights grow to many times their size and do not stop",
    causes=("hp-lr-high", "hp-optimizer", "arch-exploding"),
    likely="the learning rate is too high, or nothing holds back weights whose scale does not matter",
    fix="lower the learning rate, or add weight decay",
    severity=Severity.NOTE,
    confidence=0.7,
    find=find,
)
