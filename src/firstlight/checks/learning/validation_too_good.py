"""The validation loss is far below the training loss.

## What it sees
In several evaluations in a row the loss is less than half the training loss of the same time.

## When it is fine
Dropout, augmentation, label smoothing and averaging the training loss over the epoch make the training loss look worse
by tens of percent at most, not by half.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import EvalTrack


class Limits(Settable):
    evaluations: int = 3
    """Fewest evaluations in a row."""
    share: float = 0.5
    """Share of the training loss below which a validation loss counts."""


def find(track: EvalTrack, limits: Limits) -> Found:
    lowest = [min(pair) for pair in zip(track.train, track.lately or track.train, strict=False)]
    pairs = list(zip(track.values, lowest, strict=False))[-limits.evaluations :]
    if len(pairs) < limits.evaluations or not all(0 < value < limits.share * train for value, train in pairs):
        return
    value, train = pairs[-1]
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"`{track.name}` is {value:.4g} and the training loss {train:.4g}, {len(pairs)} evaluations in a row",
        wanted=f"at least {limits.share:g} times the training loss",
        numbers={"value": value, "train": train},
    )


CHECK = Check(
    id="FL579",
    summary="the validation loss is far below the training loss",
    causes=("data-leak-split", "train-metric", "data-split-shift"),
    likely="training examples are in the validation set, or the two losses are not the same quantity",
    fix="compare both splits for duplicates, and compute both losses on the same batch",
    severity=Severity.WARNING,
    confidence=0.5,
    find=find,
)
