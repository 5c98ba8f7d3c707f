"""Every step changes weights by a good part of themselves, or so little that they do not notice.

## What it sees
For many steps in a row the update of most weight matrices is a large share of the matrix itself, long after the first
steps. Or every weight matrix moves, but by less than the last digits of its numbers, at the full learning rate, and
nearly all of the loss is still there.

## When it is fine
Small or zero-initialised weights (adapters, heads) change a lot in the first steps. A single matrix may; most of them
do not. At the end of a decay, or on a loss that is already gone, small steps are right.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorState, TensorTrack


class Limits(Settable):
    looks: int = 12
    """After which the start is over; eight steps apart."""
    largest: float = 0.3
    """Length of an update over that of the weights; healthy runs stay near 0.001, small ones below 0.1."""
    most: float = 0.5
    """Share of the matrices with updates larger than that."""
    smallest: float = 1e-7
    """Length of an update over that of the weights; float32 has seven digits."""
    remaining: float = 0.5
    """Share of the starting loss, at the least, where updates are small."""
    lr_share: float = 0.1
    """Of the highest rate, at the least, where updates are small."""


def find(track: TensorTrack, limits: Limits) -> Found:
    if track.looks < limits.looks:
        return
    matrices = [tensor for tensor in track.tensors if tensor.matrix]
    large = [tensor for tensor in matrices if tensor.update_now > limits.largest]
    if large and len(large) >= limits.most * len(matrices):
        worst = max(large, key=lambda tensor: tensor.update_now)
        yield Evidence(
            where=Where(module=worst.name, step=track.step, rank=track.rank),
            saw=f"an update changes `{worst.name}` by {worst.update_now:.2g} of its length; so it is for {len(large)} "
            f"of {len(matrices)} weight matrices",
            wanted=f"less than {limits.largest:g}; 0.001 is usual",
            numbers={"ratio": worst.update_now, "matrices": len(large)},
        )
    driven = [tensor for tensor in matrices if tensor.lr != 0 and tensor.grad_now != 0]
    if driven and track.lr_share >= limits.lr_share and track.remaining > limits.remaining:
        yield from _crawling(track, driven, limits)


def _crawling(track: TensorTrack, driven: list[TensorState], limits: Limits) -> Found:
    if not all(_crawls(tensor, limits) for tensor in driven):
        return
    best = max(driven, key=lambda tensor: tensor.update_now)
    yield Evidence(
        where=Where(module=best.name, step=track.step, rank=track.rank),
        saw=f"the largest update, of `{best.name}`, changes it by {best.update_now:.1e} of its length",
        wanted=f"more than {limits.smallest:.0e}; 0.001 is usual",
        cause="hp-lr-low",
        confidence=0.9,
        likely="the learning rate is far too low",
        do="multiply the learning rate by 100",
        numbers={"ratio": best.update_now, "matrices": len(driven)},
    )


def _crawls(tensor: TensorState, limits: Limits) -> bool:
    driven = tensor.grad_now > 0 and (tensor.lr is None or tensor.lr > 0)
    return driven and 0 < tensor.update_now < limits.smallest


CHECK = Check(
    id="FL384",
    summary="every step changes weights by a good part of themselves, or by next to nothing",
    causes=("hp-lr-high", "hp-lr-low", "train-schedule"),
    likely="the learning rate is too high",
    fix="divide the learning rate by 10",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
    since="0.2",
)
