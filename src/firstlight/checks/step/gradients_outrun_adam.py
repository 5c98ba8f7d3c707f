"""Gradients have grown so fast that Adam still divides by what they were long ago.

## What it sees
For the last three looks the gradient of a weight matrix, measured in units of what Adam divides it by, was several
times larger than usual: every step is that many times longer than the learning rate says. Spikes and divergence of the
loss follow such steps.

## When it is fine
When a loss leaves a long plateau its gradients grow at once, and soon fall again: while the loss falls nothing is told.
Weights most of whose gradient is zero, as of an embedding, are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import MomentTrack


class Limits(Settable):
    looks: int = 8
    """Eight steps apart on the host: the memory is past its own beginning."""
    pace: float = 5.0
    """1 is usual; of 143 healthy programs one passed 3, leaving a plateau. Spikes are known to follow 2.5 and more."""
    falling: float = 0.05
    """Share by which the loss may have come down lately: one that leaves a plateau has gradients that grow at once."""
    zeros: float = 0.1
    """Share of a gradient that may be zero: rows that come rarely are remembered as small."""


def find(track: MomentTrack, limits: Limits) -> Found:
    fast = [t for t in track.tensors if t.pace > limits.pace and t.zeros <= limits.zeros]
    if track.looks < limits.looks or not fast or not track.falling <= limits.falling:
        return
    worst = max(fast, key=lambda tensor: tensor.pace)
    yield Evidence(
        where=Where(module=worst.name, step=track.step, rank=track.rank),
        saw=f"the gradient of `{worst.name}` is {worst.pace:.2g} times what Adam divides it by, for three looks; so it "
        f"is for {len(fast)} of {len(track.tensors)} weight matrices",
        wanted=f"less than {limits.pace:g} times",
        do=f"lower the second beta from {track.beta:g} to 0.95, or clip the gradients",
        numbers={"pace": worst.pace, "tensors": len(fast), "beta": track.beta},
    )


CHECK = Check(
    id="FL380",
    summary="gradients are many times what Adam remembers, and so are its steps",
    causes=("hp-optimizer", "hp-lr-high", "data-outlier"),
    likely="the second beta is so high that the memory of small gradients outlives them",
    fix="lower the second beta to 0.95, or clip the gradients",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
