"""Padding counts in the loss.

## What it sees
Rows of ids end in the same id, starting at different lengths: they were padded. The targets at those positions are
padding too, and the loss function is not told to ignore them. Predicting padding is easy, so the loss looks better than
the model is, and little of the gradient comes from the rest.

## When it is fine
A task in which the end of a row is to be predicted. Losses without a reduction, or with class weights, are not
reported: they may be masked.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    share: float = 0.2
    """Smallest share of the targets that are padding; a few at the end of nearly full rows change little."""
    steps: int = 4
    """Fewest steps at which padding counted."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    echo = feed.echo
    if echo.padded < limits.steps or not echo.pad_share >= limits.share:
        return
    yield Evidence(
        where=at(feed.site, module=feed.name, rank=feed.rank),
        saw=f"{echo.pad_share:.0%} of the targets are padding at the end of rows (id {echo.pad}) and count in the loss",
        wanted="a loss over the real positions only",
        numbers={"share": echo.pad_share, "pad": echo.pad, "steps": echo.padded},
    )


CHECK = Check(
    id="FL155",
    summary="padding counts in the loss",
    causes=("data-padding",),
    likely="`ignore_index` is left at -100 while the targets are padded with another id",
    fix="pass the padding id to the loss as `ignore_index=`, or set the padded targets to -100",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
