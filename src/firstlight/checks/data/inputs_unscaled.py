"""Features come in raw units: very large, or of very different sizes.

## What it sees
The values of an input are raw pixels of 0 to 255, lie far from zero, or one feature is spread a thousand times wider
than another. Whether that does harm is then tried: a copy of the program is given standardised inputs. Where that cures
it the program is ill; where it changes little, nothing is said.

## When it is fine
A model that normalises its inputs itself, trees of features that share one unit, or an optimizer that adapts to each
weight. That is why it stays a note where nothing could be tried.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Columns, FeedSeen


class Limits(Settable):
    spread: float = 30.0
    """Deviation of a feature; usual initialisations expect 1."""
    offset: float = 30.0
    """Distance of the mean from zero."""
    ratio: float = 1000.0
    """Between the widest and the narrowest feature."""
    rows: int = 16
    """Fewer are no sample."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    for fed in feed.inputs:
        given = fed.train
        told = _told(given, limits) if given.rows >= limits.rows else None
        if told is not None:
            yield Evidence(
                where=at(feed.site, module=feed.name, rank=feed.rank),
                saw=f"`{given.name}` {told}",
                wanted="features around zero with deviations around one",
                numbers={"mean": given.mean, "std": given.std, "widest": given.widest, "narrowest": given.narrowest},
            )


def _told(given: Columns, limits: Limits) -> str | None:
    if given.widest >= limits.spread or abs(given.mean) >= limits.offset:
        pixels = ", whole numbers as raw pixels are" if given.whole and given.low >= 0 else ""
        return f"lies in {given.low:.3g} … {given.high:.3g}, {given.mean:.3g} ± {given.std:.3g}{pixels}"
    if given.narrowest and given.widest >= limits.ratio * given.narrowest:
        return f"has features of deviation {given.narrowest:.3g} beside others of {given.widest:.3g}"
    return None


CHECK = Check(
    id="FL152",
    summary="features are fed in raw units",
    causes=("data-scale",),
    likely="the preparation does not scale, or scales only some of the columns",
    fix="standardise each feature with the mean and deviation of the training part; divide pixels by 255",
    severity=Severity.NOTE,
    confidence=0.4,
    proven=Severity.ERROR,
    repairs=("standardised",),
    find=find,
)
