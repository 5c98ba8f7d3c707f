"""The gradient of some layers has almost vanished.

## What it sees
Some weight matrices get a gradient that, relative to their size, is a millionth of the best one. Or the gradients of
all matrices fell to a thousandth of what they were at the start. In both cases most of the loss is still there.

## When it is fine
A model that has learned its task has small gradients everywhere. Biases before a normalization have none by
construction and are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorTrack


class Limits(Settable):
    matrices: int = 2
    """Fewest matrices with a gradient; a single one has nothing to be compared with."""
    looks: int = 25
    """Fewest looks, eight steps apart; by then the start is over."""
    below_best: float = 1e-6
    """Smallest gradient over weight, relative to the best matrix; healthy networks stay above 1e-3."""
    fell: float = 1e-3
    """Smallest gradient relative to its own at the start."""
    remaining: float = 0.5
    """Smallest share of the starting loss that is still there; below it, small gradients are no surprise."""


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
        f"relative to their size, {len(faint)} of {len(matrices)} matrices get less than {limits.below_best:g} of the "
        "best",
        wanted="gradients that reach every layer as long as there is loss left",
        numbers={"norm": first.grad_now, "start": first.grad_start, "faint": len(faint)},
    )


CHECK = Check(
    id="FL473",
    summary="the gradient of some layers has almost vanished",
    causes=("arch-vanishing", "arch-init", "arch-dead-units"),
    likely="a deep stack of saturating layers without residual connections or normalization",
    fix="add residual connections and normalization, or ReLU-like functions with a matching initialization",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
