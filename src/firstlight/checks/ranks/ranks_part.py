"""Ranks that held the same weights hold different ones.

## What it sees
The length of every weight on every rank at the same sampled steps of a live run. They began alike and now differ, at
two looks in a row, by more than rounding makes.

## When it is fine
Ranks that begin with different weights (an ensemble, the parts of a pipeline) are not compared. Local SGD lets the
ranks part between two averagings: allow it by name.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RankTrack

SURE = 0.95


class Limits(Settable):
    apart: float = 1e-5
    """Relative distance of a weight's lengths that rounding cannot make, and up to which ranks began alike."""
    looks: int = 2
    """In a row."""


def find(track: RankTrack, limits: Limits) -> Found:
    if not track.first <= limits.apart < track.apart or track.looks_apart < limits.looks:
        return
    yield Evidence(
        where=Where(module=track.name, step=track.step),
        saw=f"`{track.name}` differs between {track.world} ranks by {track.apart:.1e} of its length, and at "
        f"{track.looks_apart} looks in a row some weight did",
        wanted="the same weights on every rank, as at the first look",
        severity=Severity.ERROR if track.wrapped else None,
        confidence=SURE if track.wrapped else None,
        numbers={"apart": track.apart, "looks": track.looks_apart, "world": track.world},
    )


CHECK = Check(
    id="FL970",
    summary="ranks that held the same weights hold different ones",
    causes=("env-distributed",),
    likely="some gradient is not averaged over the ranks, or one rank left out a step that the others made",
    fix="call the DistributedDataParallel model itself in every backward; skip a step on all ranks or on none",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
