"""The token that ends each sequence never counts in the loss.

## What it sees
Rows of ids in which each position is predicted from those before it. The id right after the last position that counts
is the same in most rows, and it is not padding: a mask in the program marks it like the rest of the row, or it also
ends the longest row of every batch. It never counts in the loss, although the rows have many lengths. The model learns
what comes next, but never where to stop.

## When it is fine
The last position that counts holds the same id in nearly every row: that id is then the end token. Labels that all have
the same length and are cut off after it, and padding after texts that have no end token, are fine too.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Ends, Relations


class Limits(Settable):
    steps: int = 4
    """Fewest steps at which rows were looked at."""
    rows: int = 32
    """Fewest rows with positions that count."""
    followed: float = 0.5
    """Smallest share of the rows with this id next; texts that are too long are cut off and have no end."""
    content: float = 0.95
    """Smallest share of those rows in which a mask marks the id as not padding."""
    bounded: float = 0.9
    """Smallest share of the steps, if no mask tells, at which it also ends the longest row, as padding would not."""
    widths: int = 2
    """Fewest different widths of those batches; at a fixed width, any row may be padded."""
    alike: float = 0.9
    """Share of the rows from which on the commonest last id that counts is itself the end token."""
    lengths: int = 3
    """Fewest different numbers of positions that count; at a fixed length, nothing needs to mark the end."""


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
        f"{', is not marked as padding' if marked else ''} and never counts in the loss",
        wanted="an end token that counts in the loss like every other position",
        numbers={"end": ends.end, "followed": ends.followed, "rows": ends.rows},
    )


def _bounds(ends: Ends, limits: Limits) -> bool:
    return ends.widths >= limits.widths and ends.bounded >= limits.bounded * ends.steps


CHECK = Check(
    id="FL198",
    summary="the token that ends each sequence never counts in the loss",
    causes=("data-labels-masked",),
    likely="the padding id is also the end-of-sequence id, and all labels equal to it are masked",
    fix="mask labels by where the padding is (`attention_mask == 0`), not by its id, or give padding its own id",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
