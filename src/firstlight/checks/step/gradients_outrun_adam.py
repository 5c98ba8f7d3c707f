"""Gradients have grown so fast that Adam still divides by their old, much smaller size.

## What it sees
At each of the last three looks, the gradient of a weight matrix was several times as large as what Adam divides it by:
every step is that many times longer than the learning rate says. Such steps lead to loss spikes and divergence.

## When it is fine
When the loss leaves a long plateau, gradients grow suddenly and soon shrink again, so nothing is reported while the
loss falls. Weights whose gradients have many zeros, such as embeddings, are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import MomentTrack


class Limits(Settable):
    looks: int = 8
    """Fewest looks, eight steps apart on a CPU; by then Adam's running averages have warmed up."""
    pace: float = 5.0
    """Largest ratio of a gradient to what Adam divides it by. 1 is usual; of 143 healthy programs only one exceeded 3,
    when it left a plateau. Spikes are known to follow ratios of 2.5 and more."""
    falling: float = 0.05
    """Largest recent relative drop of the loss; when a loss leaves a plateau, its gradients grow suddenly."""
    zeros: float = 0.1
    """Largest share of a gradient that may be zero; Adam remembers rows that occur rarely as small."""


def find(track: MomentTrack, limits: Limits) -> Found:
    fast = [t for t in track.tensors if t.pace > limits.pace and t.zeros <= limits.zeros]
    if track.looks < limits.looks or not fast or not track.falling <= limits.falling:
        return
    worst = max(fast, key=lambda tensor: tensor.pace)
    yield Evidence(
        where=Where(module=worst.name, step=track.step, rank=track.rank),
        saw=f"for three looks the gradient of `{worst.name}` has been {worst.pace:.2g} times what Adam divides it by; "
        f"{len(fast)} of {len(track.tensors)} weight matrices are affected",
        wanted=f"at most {limits.pace:g} times",
        do=f"lower the second beta from {track.beta:g} to 0.95, or clip the gradients",
        numbers={"pace": worst.pace, "tensors": len(fast), "beta": track.beta},
    )


CHECK = Check(
    id="FL380",
    summary="gradients have outgrown what Adam remembers, so its steps are too long",
    causes=("hp-optimizer", "hp-lr-high", "data-outlier"),
    likely="the second beta is so high that Adam still remembers the small gradients of long ago",
    fix="lower the second beta to 0.95, or clip the gradients",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
