"""One term of the loss is a thousand times another, as the program tells them.

## What it sees
The program tells two or more terms of its loss (names that end in `loss`), and over the last 64 of them the smallest is
less than a thousandth of the largest: it hardly steers the training.

## When it is fine
Terms told before they are weighted, a penalty that has done its work, and the losses of several networks in one run
differ like this in health. Values are not gradients: it is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TermTrack


class Limits(Settable):
    steps: int = 64
    """At which the terms were told."""
    ratio: float = 1e3
    """Of the largest to the smallest."""


def find(track: TermTrack, limits: Limits) -> Found:
    sized = {name: size for name, size in track.terms.items() if size > 0}
    if track.steps < limits.steps or len(sized) < 2:  # noqa: PLR2004 (a pair)
        return
    largest, smallest = max(sized, key=sized.__getitem__), min(sized, key=sized.__getitem__)
    if not sized[largest] > limits.ratio * sized[smallest]:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"`{largest}` is {sized[largest]:.3g} and `{smallest}` {sized[smallest]:.3g}",
        wanted=f"terms within {limits.ratio:g} times each other, once weighted",
        numbers={"largest": sized[largest], "smallest": sized[smallest]},
    )


CHECK = Check(
    id="FL271",
    summary="one term of the loss drowns another",
    causes=("loss-scale",),
    likely="terms in different units are added without weights",
    fix="compare the gradients of the two terms on one batch; weight them so that both steer",
    severity=Severity.NOTE,
    confidence=0.4,
    find=find,
)
