"""Every step changes weights by a good part of themselves.

## What it sees
For many steps in a row the update of most weight matrices is a large share of the matrix itself, long after the
first steps.

## When it is fine
Small or zero-initialised weights (adapters, heads) change a lot in the first steps. A single matrix may; most of
them do not.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import TensorTrack
from firstlight.records.places import Where


class Limits(Settable):
    looks: int = 12
    """After which the start is over; eight steps apart."""
    ratio: float = 0.3
    """Length of an update over that of the weights; healthy runs stay near 0.001, small ones below 0.1."""
    most: float = 0.5
    """Share of the matrices."""


def find(track: TensorTrack, limits: Limits) -> Iterator[Evidence]:
    matrices = [tensor for tensor in track.tensors if tensor.matrix]
    large = [tensor for tensor in matrices if tensor.update_now > limits.ratio]
    if track.looks < limits.looks or not large or len(large) < limits.most * len(matrices):
        return
    worst = max(large, key=lambda tensor: tensor.update_now)
    yield Evidence(
        where=Where(module=worst.name, step=track.step, rank=track.rank),
        saw=f"an update changes `{worst.name}` by {worst.update_now:.2g} of its length; so it is for {len(large)} of "
        f"{len(matrices)} weight matrices",
        wanted=f"less than {limits.ratio:g}; 0.001 is usual",
        numbers={"ratio": worst.update_now, "matrices": len(large)},
    )


CHECK = Check(
    id="FL378",
    name="updates-too-large",
    summary="every step changes weights by a good part of themselves",
    causes=("hp-lr-high",),
    likely="the learning rate is too high",
    fix="divide the learning rate by 10",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
