"""The labels lie further and further away from their inputs along the dataset.

## What it sees
Similar examples of the dataset have hardly more similar labels than any two. The first rows are read in order, and a
plain fit is asked about rows that it was not given. Its answers agree well with labels that lie further and further
away: here and there, more rows are skipped. They agree neither with the labels of their own rows, nor with labels that
are all moved by the same few rows, nor, with the same freedom to skip, with labels from elsewhere in the dataset. So
rows were left out of the inputs or of the labels, and the others are still counted from the start.

## When it is fine
If a simple fit predicts the labels as they are, nothing is reported, nor if labels are noisy, as they then fit nowhere.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Drift, Relations


class Limits(Settable):
    foretold: float = 0.5
    """Skill of a simple fit from which on the labels count as belonging to their examples; 1 is never wrong."""
    along: float = 0.6
    """Smallest agreement of the labels with those foretold, where their rows move further and further away."""
    as_they_are: float = 0.5
    """Largest agreement where they are, or all moved by a few rows, as a share of that; a series knows its past."""
    beyond_chance: float = 0.2
    """Smallest gap between that and what the same freedom finds in labels from elsewhere."""
    gaps: int = 4
    """Fewest places at which the rows move further away; a single one is a shift of a part."""
    middle: float = 0.2
    """Smallest share of the way that the rows have moved, and have yet to move, in the middle of those read."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, drift = relations.seen, relations.seen.drift
    if seen.acting or not seen.skills.plain < limits.foretold or not _drifts(drift, limits):
        return
    left_out, kept = ("inputs", "labels") if drift.offset > 0 else ("labels", "inputs")
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"over the first {drift.examples:,} rows of the dataset, inputs fit labels that move further and further "
        f"away, by {abs(drift.offset)} rows in the end: the agreement is {drift.along:.2f} with those, at most "
        f"{drift.chance:.2f} with labels from elsewhere, and {drift.fit:.2f} with labels of their own or a near row",
        wanted="inputs that fit the labels of their own rows",
        likely=f"rows were left out of the {left_out}, and the {kept} were only cut to the same length",
        do=f"leave the same rows out of the {kept}, by the same mask or index",
        numbers={"fit": drift.fit, "along": drift.along, "chance": drift.chance, "offset": drift.offset},
    )


def _drifts(drift: Drift, limits: Limits) -> bool:
    clear = drift.along >= limits.along and drift.along - drift.chance >= limits.beyond_chance
    if not clear or not drift.fit <= limits.as_they_are * drift.along or not drift.gaps >= limits.gaps:
        return False
    way, halfway = abs(drift.offset), abs(drift.halfway)
    return way > 0 and limits.middle * way <= halfway <= (1 - limits.middle) * way


CHECK = Check(
    id="FL192",
    summary="rows are missing from the inputs or from the labels, and the others have moved",
    causes=("data-label-misaligned",),
    likely="rows were left out of one of two lists, and the other one was only cut to the same length",
    fix="leave the same rows out of both, by the same mask or index, before they are counted",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
