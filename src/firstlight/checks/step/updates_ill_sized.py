"""Every step changes the weights by a large part of their size, or by almost nothing.

## What it sees
Long after the first steps, the update of most weight matrices is a large fraction of the matrix itself. Or every weight
matrix moves by less than the last digits of its numbers, at or near the full learning rate, while much of the loss is
still left.

## When it is fine
Small or zero-initialised weights (adapters, heads) change a lot in the first steps. A few matrices may change that much
later; most of them do not. At the end of a decay, or when little of the loss is left, small steps are right.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorState, TensorTrack


class Limits(Settable):
    looks: int = 12
    """Fewest looks, eight steps apart; by then the start is over."""
    largest: float = 0.3
    """Largest ratio of an update's norm to that of the weights; healthy runs stay near 0.001, small ones below 0.1."""
    most: float = 0.5
    """Smallest share of the matrices with updates larger than that."""
    smallest: float = 1e-7
    """Smallest ratio of an update's norm to that of the weights; float32 has seven digits."""
    remaining: float = 0.5
    """Share of the starting loss that must still be left before small updates are reported."""
    lr_share: float = 0.1
    """Fraction of the highest learning rate that must be in use before small updates are reported."""


def find(track: TensorTrack, limits: Limits) -> Found:
    if track.looks < limits.looks:
        return
    matrices = [tensor for tensor in track.tensors if tensor.matrix]
    large = [tensor for tensor in matrices if tensor.update_now > limits.largest]
    if large and len(large) >= limits.most * len(matrices):
        worst = max(large, key=lambda tensor: tensor.update_now)
        yield Evidence(
            where=Where(module=worst.name, step=track.step, rank=track.rank),
            saw=f"an update changes `{worst.name}` by {worst.update_now:.2g} of its norm; {len(large)} of "
            f"{len(matrices)} weight matrices change too much",
            wanted=f"at most {limits.largest:g}; 0.001 is usual",
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
        saw=f"the largest update, of `{best.name}`, changes it by {best.update_now:.1e} of its norm",
        wanted=f"at least {limits.smallest:.0e}; 0.001 is usual",
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
    summary="every step changes the weights by a large part of their size, or by almost nothing",
    causes=("hp-lr-high", "hp-lr-low", "train-schedule"),
    likely="the learning rate is too high",
    fix="divide the learning rate by 10",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
    since="0.2",
)
