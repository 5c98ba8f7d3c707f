"""The weights grow to many times their size and do not stop.

## What it sees
Most weight matrices have grown several times over since the guard first saw them, and their updates are still large.

## When it is fine
Embeddings, adapters and zero-initialized parts grow from small values while a model learns: this is a note as long as
the loss is below its starting value.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorTrack


class Limits(Settable):
    times: float = 5.0
    """Smallest growth since the first look."""
    most: float = 0.5
    """Smallest share of the matrices that have grown this much."""
    update: float = 3e-3
    """Smallest update over weight; below it, the growth has ended."""
    looks: int = 12
    """Fewest looks, eight steps apart."""
    remaining: float = 1.0
    """Share of the starting loss above which the growth does no good and is a warning."""


def find(track: TensorTrack, limits: Limits) -> Found:
    matrices = [t for t in track.tensors if t.matrix and not t.weight_start <= 0]
    grown = [t for t in matrices if t.weight_now > limits.times * t.weight_start and t.update_now > limits.update]
    if track.looks < limits.looks or not grown or len(grown) < limits.most * len(matrices):
        return
    worst = max(grown, key=lambda tensor: tensor.weight_now / tensor.weight_start)
    yield Evidence(
        where=Where(module=worst.name, step=track.step, rank=track.rank),
        saw=f"`{worst.name}` has grown from norm {worst.weight_start:.3g} to {worst.weight_now:.3g}; "
        f"{len(grown)} of {len(matrices)} matrices have grown more than {limits.times:g} times",
        wanted="weights that keep their order of magnitude",
        severity=Severity.WARNING if track.remaining > limits.remaining else None,
        numbers={"start": worst.weight_start, "now": worst.weight_now, "matrices": len(grown)},
    )


CHECK = Check(
    id="FL475",
    summary="the weights grow to many times their size and do not stop",
    causes=("hp-lr-high", "hp-optimizer", "arch-exploding"),
    likely="the learning rate is too high, or nothing limits weights whose scale does not matter",
    fix="lower the learning rate, or add weight decay",
    severity=Severity.NOTE,
    confidence=0.7,
    find=find,
)
