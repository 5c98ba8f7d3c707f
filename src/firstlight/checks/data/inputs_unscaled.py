"""Features come in raw units: very large, or of very different sizes.

## What it sees
The values of an input are raw pixels from 0 to 255, lie far from zero, or one feature varies a thousand times more than
another. To see whether that does harm, a copy of the program is given standardized inputs. If that cures the program,
it is an error; if it changes little, nothing is reported.

## When it is fine
A model that normalizes its inputs itself, features that share one unit, or an optimizer that adapts to each weight.
That is why it stays a note if no copy could be tried.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Columns, FeedSeen


class Limits(Settable):
    spread: float = 30.0
    """Smallest standard deviation of a feature; usual initializations expect 1."""
    offset: float = 30.0
    """Smallest distance of the mean from zero."""
    ratio: float = 1000.0
    """Smallest ratio of the deviations of the widest and the narrowest feature."""
    rows: int = 16
    """Fewest rows; fewer are too small a sample."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    for fed in feed.inputs:
        given = fed.train
        told = _told(given, limits) if given.rows >= limits.rows else None
        if told is not None:
            yield Evidence(
                where=at(feed.site, module=feed.name, rank=feed.rank),
                saw=f"`{given.name}` {told}",
                wanted="features around zero with standard deviations around one",
                numbers={"mean": given.mean, "std": given.std, "widest": given.widest, "narrowest": given.narrowest},
            )


def _told(given: Columns, limits: Limits) -> str | None:
    if given.widest >= limits.spread or abs(given.mean) >= limits.offset:
        pixels = ", whole numbers like raw pixels" if given.whole and given.low >= 0 else ""
        return f"ranges from {given.low:.3g} to {given.high:.3g}, {given.mean:.3g} ± {given.std:.3g}{pixels}"
    if given.narrowest and given.widest >= limits.ratio * given.narrowest:
        return f"has features with standard deviation {given.narrowest:.3g} next to others with {given.widest:.3g}"
    return None


CHECK = Check(
    id="FL152",
    summary="features are fed in raw units",
    causes=("data-scale",),
    likely="the preprocessing does not scale, or scales only some of the columns",
    fix="standardize each feature with the mean and deviation of the training part; divide pixels by 255",
    severity=Severity.NOTE,
    confidence=0.4,
    proven=Severity.ERROR,
    repairs=("standardised",),
    find=find,
)
