"""Gradients are so small that Adam's epsilon decides the length of a step.

## What it sees
In most weight matrices a good part of the elements have a remembered gradient below ten times epsilon, while much of
the loss is left. Adam no longer evens out their scale: their steps shrink with the gradient, as those of plain SGD do.

## When it is fine
A run that has nearly converged has small gradients, and is not judged. An epsilon chosen large, to damp the steps on
purpose, is not judged either. Elements that never had a gradient do not count.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import MomentTrack


class Limits(Settable):
    looks: int = 8
    """Eight steps apart on the host."""
    share: float = 0.2
    """Of the elements of a weight."""
    most: float = 0.5
    """Share of the weight matrices."""
    remaining: float = 0.5
    """Share of the starting loss, at the least."""
    epsilon: float = 1e-6
    """A larger one was chosen on purpose."""


def find(track: MomentTrack, limits: Limits) -> Found:
    drowned = [tensor for tensor in track.tensors if tensor.drowned > limits.share]
    if track.looks < limits.looks or not drowned or len(drowned) < limits.most * len(track.tensors):
        return
    if not (track.remaining > limits.remaining and track.epsilon <= limits.epsilon):
        return
    worst = max(drowned, key=lambda tensor: tensor.drowned)
    yield Evidence(
        where=Where(module=worst.name, step=track.step, rank=track.rank),
        saw=f"the gradients of {worst.drowned:.0%} of `{worst.name}` are below ten times Adam's epsilon, "
        f"{track.epsilon:g}; so it is in {len(drowned)} of {len(track.tensors)} weight matrices",
        wanted=f"less than {limits.share:.0%}",
        numbers={"share": worst.drowned, "tensors": len(drowned), "epsilon": track.epsilon},
    )


CHECK = Check(
    id="FL381",
    summary="gradients are so small that Adam's epsilon decides the length of a step",
    causes=("loss-scale", "hp-optimizer", "arch-vanishing", "num-precision"),
    likely="the loss is divided by far too much, or gradients fade on their way back",
    fix="look at the scale of the loss; then set `eps` to 1e-15",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
