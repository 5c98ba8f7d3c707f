"""The gradient of early layers has all but vanished.

## What it sees
Some weight matrices get a gradient that, for their size, is a millionth of what the best served one gets; or theirs
fell to a thousandth of what it was, while most of the loss is still there.

## When it is fine
A model that has learnt its task has small gradients everywhere. Biases before a normalisation have none by
construction and are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorTrack


class Limits(Settable):
    matrices: int = 2
    """Fewer have nothing to be compared with."""
    looks: int = 25
    """Eight steps apart: the start is over."""
    below_best: float = 1e-6
    """Gradient over weight, relative to the best served matrix; healthy networks stay above 1e-3."""
    fell: float = 1e-3
    """Of its own gradient at the start."""
    remaining: float = 0.5
    """Share of the starting loss that must still be there."""


def find(track: TensorTrack, limits: Limits) -> Found:
    matrices = [t for t in track.tensors if t.matrix and t.grad_now > 0 and t.weight_now > 0]
    if track.looks < limits.looks or len(matrices) < limits.matrices or not track.remaining > limits.remaining:
        return
    best = max(t.grad_now / t.weight_now for t in matrices)
    faint = [t for t in matrices if t.grad_now / t.weight_now < limits.below_best * best]
    fallen = [t for t in matrices if t.grad_now < limits.fell * t.grad_start]
    if not faint and len(fallen) < len(matrices):
        return
    first = (faint or fallen)[0]
    yield Evidence(
        where=Where(module=first.name, step=track.step, rank=track.rank),
        saw=f"the gradient of `{first.name}` has norm {first.grad_now:.2g} (at the start {first.grad_start:.2g}); "
        f"for their "
        f"size {len(faint)} of {len(matrices)} matrices get less than {limits.below_best:g} of the best",
        wanted="gradients that reach every layer while there is loss left",
        numbers={"norm": first.grad_now, "start": first.grad_start, "faint": len(faint)},
    )


CHECK = Check(
    id="FL473",
    summary="the gradient of early layers has all but vanished",
    causes=("arch-vanishing", "arch-init", "arch-dead-units"),
    likely="a deep stack of saturating layers without residual connections or normalisation",
    fix="add residual connections and normalisation, or ReLU-like functions with a matching initialisation",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
