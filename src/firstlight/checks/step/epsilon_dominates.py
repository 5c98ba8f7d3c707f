"""Gradients are so small that Adam's epsilon decides the length of a step.

## What it sees
In most weight matrices, Adam's running gradient size is below ten times epsilon for a good part of the elements, while
much of the loss is left. Adam no longer evens out their scale: their steps shrink with the gradient, as in plain SGD.

## When it is fine
A run that has nearly converged has small gradients and is not judged. Neither is a large epsilon chosen to damp the
steps on purpose. Elements that never had a gradient do not count.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import MomentTrack


class Limits(Settable):
    looks: int = 8
    """Fewest looks; on a CPU they are eight steps apart."""
    share: float = 0.2
    """Share of a weight's elements above which that weight counts as affected."""
    most: float = 0.5
    """Smallest share of the weight matrices that are affected."""
    remaining: float = 0.5
    """Share of the starting loss that must still be left."""
    epsilon: float = 1e-6
    """Largest epsilon that is judged; a larger one was chosen on purpose."""


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
        f"{track.epsilon:g}; {len(drowned)} of {len(track.tensors)} weight matrices are affected",
        wanted=f"at most {limits.share:.0%} of a matrix",
        numbers={"share": worst.drowned, "tensors": len(drowned), "epsilon": track.epsilon},
    )


CHECK = Check(
    id="FL381",
    summary="gradients are so small that Adam's epsilon decides the length of a step",
    causes=("loss-scale", "hp-optimizer", "arch-vanishing", "num-precision"),
    likely="the loss is divided by far too large a number, or gradients fade on their way back",
    fix="check the scale of the loss; then set `eps` to 1e-15",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
