"""One logged term of the loss is more than a thousand times as large as another.

## What it sees
The program logs two or more terms of its loss (names that end in `loss`), and over the last 64 values the smallest is
less than a thousandth of the largest: it hardly steers the training.

## When it is fine
Terms logged before they are weighted, a penalty that has done its work, and the losses of several networks in one run
can differ this much in a healthy run. Values are not gradients, so this is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TermTrack


class Limits(Settable):
    steps: int = 64
    """Fewest steps at which all terms were logged."""
    ratio: float = 1e3
    """Largest ratio of the largest to the smallest term."""


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
        wanted=f"weighted terms that differ by a factor of at most {limits.ratio:g}",
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
