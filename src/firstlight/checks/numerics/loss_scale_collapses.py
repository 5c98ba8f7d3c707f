"""The loss scaler cannot find a working scale and keeps skipping steps.

## What it sees
The scale has fallen below one, or more than one step in twenty is skipped, long after the first hundred steps.

## When it is fine
A scaler starts far too high and skips a few steps until it has found its scale, then about one in every few thousand.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScaleTrack


class Limits(Settable):
    steps: int = 200
    """Number of steps after which a scaler has found its scale; nothing is reported before."""
    skipped: float = 0.05
    """Largest acceptable share of skipped steps; a healthy run is near 0.001."""
    scale: float = 1.0
    """Lowest acceptable scale; below it, the gradients overflow even without scaling."""


def find(track: ScaleTrack, limits: Limits) -> Found:
    low = track.scale is not None and track.scale < limits.scale
    if track.steps < limits.steps or not (low or track.skipped > limits.skipped):
        return
    scale = "unknown" if track.scale is None else f"{track.scale:.3g}"
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.skipped:.1%} of the last steps were skipped; the scale is {scale}",
        wanted=f"at most {limits.skipped:.0%} of steps skipped, and a scale of {limits.scale:g} or more",
        numbers={"skipped": track.skipped, "scale": track.scale},
    )


CHECK = Check(
    id="FL672",
    summary="the loss scaler cannot find a working scale and keeps skipping steps",
    causes=("num-precision", "num-nonfinite", "arch-exploding"),
    likely="the gradients contain infinities at any scale: something in the model itself overflows",
    fix="run the same steps in bfloat16 or float32, and look at the largest activations",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
