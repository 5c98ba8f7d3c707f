"""The mix of classes changes during the run.

## What it sees
Fifty batches in a row hold other classes than all batches before them, far beyond chance: a good part of their labels
would have to change to match. The model then forgets one class while it learns the next.

## When it is fine
Classes that are added on purpose, one after the other: continual learning, a curriculum. Labels that are not a single
integer for each example are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LabelTrack


class Limits(Settable):
    chance: float = 1e-6
    """Largest probability of so large a difference in random order; it is low, as a run is judged every few steps."""
    apart: float = 0.3
    """Smallest share of the labels that would have to change; a smaller shift of the mix does little harm."""


def find(track: LabelTrack, limits: Limits) -> Found:
    if not track.chance < limits.chance or not track.apart > limits.apart:
        return
    alone = f"; {track.alone:.0%} of those batches hold only one class" if track.alone else ""
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.apart:.0%} of the labels of the last fifty batches would have to change to match those before; "
        f"class {track.commonest} is the most overrepresented{alone}",
        wanted="the same mix of classes in every stretch of the data",
        numbers={"apart": track.apart, "alone": track.alone, "class": track.commonest, "classes": track.classes},
    )


CHECK = Check(
    id="FL172",
    summary="the mix of classes changes from one stretch of batches to the next",
    causes=("data-not-shuffled", "data-split-shift"),
    likely="the data is sorted by class, by file or by day, and not shuffled, or only by a buffer that is too small",
    fix="shuffle all examples, or pass `shuffle=True` to the loader",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
