"""The mixture of classes changes while the run goes on.

## What it sees
Fifty batches in a row hold other classes than all batches before them, far beyond chance: a good part of their labels
would have to be others. The model then forgets one class while it learns the next.

## When it is fine
Classes that are added on purpose, one after the other: continual learning, a curriculum. Labels that are not one whole
number for each example are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LabelTrack


class Limits(Settable):
    chance: float = 1e-6
    """Of so large a difference in random order; a run is judged every few steps."""
    apart: float = 0.3
    """Share of labels that would have to be others; a shift of the mixture by less does little harm."""


def find(track: LabelTrack, limits: Limits) -> Found:
    if not track.chance < limits.chance or not track.apart > limits.apart:
        return
    alone = f"; {track.alone:.0%} of those batches hold one class only" if track.alone else ""
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.apart:.0%} of the labels of the last fifty batches would have to be others to look like those "
        f"before, mostly class {track.commonest}{alone}",
        wanted="every stretch of the data with the same mixture of classes",
        numbers={"apart": track.apart, "alone": track.alone, "class": track.commonest, "classes": track.classes},
    )


CHECK = Check(
    id="FL172",
    summary="the mixture of classes changes from one stretch of batches to the next",
    causes=("data-not-shuffled", "data-split-shift"),
    likely="the data are sorted by class, by file or by day, and not shuffled, or by a buffer that is too small",
    fix="shuffle all examples, or pass `shuffle=True` to the loader",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
