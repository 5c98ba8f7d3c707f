"""The inputs are suddenly many times as large, or as small, as they were.

## What it sees
Every one of the last eight batches holds numbers more than twenty times larger, or smaller, than those of the hundred
before. A unit has changed, a normalisation was lost or done twice, a file is another file.

## When it is fine
Data of several scales that come in turns, and a new stage of the training with data of its own; that stage usually has
an optimizer of its own, and is then judged by itself. Inputs that live on a device are not read.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import InputTrack


class Limits(Settable):
    batches: int = 64
    """After which it is known what is usual."""
    times: float = 20.0
    """Batches of the same data differ by a factor of two or three."""


def find(track: InputTrack, limits: Limits) -> Found:
    larger, smaller = track.least > limits.times * track.usual, limits.times * track.most < track.usual
    if track.batches < limits.batches or not (larger or smaller):
        return
    now = track.least if larger else track.most
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"the inputs of the last eight batches have a root mean square of {now:.3g} "
        f"{'and more' if larger else 'at most'}; {track.usual:.3g} was usual",
        wanted=f"within {limits.times:g} times the usual",
        numbers={"now": now, "usual": track.usual},
    )


CHECK = Check(
    id="FL174",
    summary="the inputs are suddenly many times as large, or as small, as they were",
    causes=("data-scale", "data-split-shift", "data-outlier"),
    likely="a unit has changed, or a normalisation was lost or is done twice from some file or epoch on",
    fix="print mean and spread of the inputs around that step, before and after each part of the preparation",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
