"""The loss scaler finds no scale: steps are left out again and again.

## What it sees
The scale has come down below one, or more than one step in twenty is left out, long after the first hundred.

## When it is fine
A scaler begins far too high and leaves out a few steps until it has found its scale, and one every few thousand later.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScaleTrack


class Limits(Settable):
    steps: int = 200
    """After which a scaler has found its scale."""
    skipped: float = 0.05
    """Share of steps left out; a healthy one is near 0.001."""
    scale: float = 1.0
    """Below which gradients overflow without any scaling."""


def find(track: ScaleTrack, limits: Limits) -> Found:
    low = track.scale is not None and track.scale < limits.scale
    if track.steps < limits.steps or not (low or track.skipped > limits.skipped):
        return
    scale = "unknown" if track.scale is None else f"{track.scale:.3g}"
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.skipped:.1%} of the last steps were left out; the scale is {scale}",
        wanted=f"less than {limits.skipped:.0%}, and a scale of {limits.scale:g} or more",
        numbers={"skipped": track.skipped, "scale": track.scale},
    )


CHECK = Check(
    id="FL672",
    summary="the loss scaler finds no scale: steps are left out again and again",
    causes=("num-precision", "num-nonfinite", "arch-exploding"),
    likely="gradients hold infinities whatever the scale: an overflow in the model itself",
    fix="run the same steps in bfloat16 or float32; look at the largest activations",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
