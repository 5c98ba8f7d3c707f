"""Steps are so small that the weights do not notice.

## What it sees
Every weight matrix moves, but by less than the last digits of its numbers, at the full learning rate, and nearly all
of the loss is still there.

## When it is fine
At the end of a decay, or on a loss that is already gone, small steps are right.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import TensorState, TensorTrack
from firstlight.records.places import Where


class Limits(Settable):
    looks: int = 12
    """Eight steps apart."""
    ratio: float = 1e-7
    """Length of an update over that of the weights; float32 has seven digits."""
    remaining: float = 0.5
    """Share of the starting loss, at the least."""
    lr_share: float = 0.1
    """Of the highest rate, at the least."""


def find(track: TensorTrack, limits: Limits) -> Iterator[Evidence]:
    matrices = [t for t in track.tensors if t.matrix and t.lr != 0 and t.grad_now != 0]
    if track.looks < limits.looks or not matrices or not track.lr_share >= limits.lr_share:
        return
    if not (track.remaining > limits.remaining and all(_crawls(t, limits) for t in matrices)):
        return
    best = max(matrices, key=lambda tensor: tensor.update_now)
    yield Evidence(
        where=Where(module=best.name, step=track.step, rank=track.rank),
        saw=f"the largest update, of `{best.name}`, changes it by {best.update_now:.1e} of its length",
        wanted=f"more than {limits.ratio:.0e}; 0.001 is usual",
        numbers={"ratio": best.update_now, "matrices": len(matrices)},
    )


def _crawls(tensor: TensorState, limits: Limits) -> bool:
    driven = tensor.grad_now > 0 and (tensor.lr is None or tensor.lr > 0)
    return driven and 0 < tensor.update_now < limits.ratio


CHECK = Check(
    id="FL379",
    name="updates-too-small",
    summary="steps are so small that the weights do not notice",
    causes=("hp-lr-low", "train-schedule"),
    likely="the learning rate is far too low",
    fix="multiply the learning rate by 100",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
