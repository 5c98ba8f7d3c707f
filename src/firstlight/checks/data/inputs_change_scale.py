"""The inputs are suddenly many times larger, or smaller, than they were.

## What it sees
Every one of the last eight batches holds numbers more than twenty times larger, or smaller, than those of the hundred
batches before (in root mean square). A unit changed, a normalization is missing or applied twice, or a file was
replaced.

## When it is fine
Data of several scales that take turns, and a new stage of the training with data of its own; that stage usually has an
optimizer of its own, and is then judged separately. Inputs that live on a device are not read.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import InputTrack


class Limits(Settable):
    batches: int = 64
    """Fewest batches before the usual scale counts as known."""
    times: float = 20.0
    """Smallest factor from the usual scale; batches of the same data differ by a factor of two or three."""


def find(track: InputTrack, limits: Limits) -> Found:
    larger, smaller = track.least > limits.times * track.usual, limits.times * track.most < track.usual
    if track.batches < limits.batches or not (larger or smaller):
        return
    now = track.least if larger else track.most
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"the inputs of the last eight batches have a root mean square of {now:.3g} "
        f"{'or more' if larger else 'or less'}; it was usually {track.usual:.3g}",
        wanted=f"within a factor of {limits.times:g} of the usual value",
        numbers={"now": now, "usual": track.usual},
    )


CHECK = Check(
    id="FL174",
    summary="the inputs are suddenly many times larger, or smaller, than they were",
    causes=("data-scale", "data-split-shift", "data-outlier"),
    likely="a unit changed, or from some file or epoch on a normalization is missing or applied twice",
    fix="print the mean and deviation of the inputs around that step, before and after each preprocessing step",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
