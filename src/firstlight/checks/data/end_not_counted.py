"""What ends each sequence never counts in the loss.

## What it sees
Rows of ids of which each place is asked for from those before it. What comes right after the last place that counts is
the same id in most rows, and it is no padding: a mask that the program holds marks it like the rest of the row, or it
also ends the longest row of every batch. It is never asked for, while the rows are of many lengths: the model learns
what comes next, and never where to stop.

## When it is fine
Rows whose last place that counts is nearly always the same id: that one is their end. Answers of one length, which are
cut off after it, and padding behind texts that have no end of their own.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Ends, Relations


class Limits(Settable):
    steps: int = 4
    """At which rows were looked at."""
    rows: int = 32
    """With places that count."""
    followed: float = 0.5
    """Of the rows; texts that are too long are cut, and have no end."""
    content: float = 0.95
    """Of those that are followed by it, marked as no padding."""
    bounded: float = 0.9
    """Of the steps, if no mask tells: padding behind texts without an end leaves out the longest one."""
    widths: int = 2
    """Of the batches, there; to a fixed one, any row may be padded."""
    alike: float = 0.9
    """Of the rows, from which on what counts last is an end itself."""
    lengths: int = 3
    """Of what counts; where it is always as long, nothing needs to tell where it ends."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, ends = relations.seen, relations.seen.ends
    if ends.steps < limits.steps or ends.rows < limits.rows or ends.counted > 0 or ends.lengths < limits.lengths:
        return
    if not ends.alike < limits.alike or ends.followed < limits.followed * ends.rows:
        return
    marked = ends.content >= limits.content * ends.followed
    if not (marked or _bounds(ends, limits)):
        return
    yield Evidence(
        where=at(seen.meeting or seen.site, step=seen.step, rank=seen.rank),
        saw=f"id {ends.end} ends {ends.followed} of {ends.rows} sequences"
        f"{', marked as no padding,' if marked else ''} and counts in the loss at 0 places",
        wanted="the end of a sequence is asked for like every other place",
        numbers={"end": ends.end, "followed": ends.followed, "rows": ends.rows},
    )


def _bounds(ends: Ends, limits: Limits) -> bool:
    return ends.widths >= limits.widths and ends.bounded >= limits.bounded * ends.steps


CHECK = Check(
    id="FL198",
    summary="what ends each sequence never counts in the loss",
    causes=("data-labels-masked",),
    likely="the id of padding is that of the end, and all labels equal to it are masked",
    fix="mask labels by where padding lies (`attention_mask == 0`), not by its id, or give padding an id of its own",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
