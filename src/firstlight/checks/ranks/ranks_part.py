"""Ranks that started with the same weights now hold different ones.

## What it sees
The norm of every weight on every rank, at the same sampled steps of a live run. The norms were equal at first and now
differ, at two looks in a row, by more than rounding can explain.

## When it is fine
Ranks that start with different weights (an ensemble, the stages of a pipeline) are not compared. Local SGD lets the
ranks diverge between two averagings: allow this check by name.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RankTrack

SURE = 0.95


class Limits(Settable):
    apart: float = 1e-5
    """Relative difference of a weight's norms above which rounding cannot be the reason; ranks that differ by no more
    at the first look count as starting alike."""
    looks: int = 2
    """Fewest looks in a row at which the ranks must differ."""


def find(track: RankTrack, limits: Limits) -> Found:
    if not track.first <= limits.apart < track.apart or track.looks_apart < limits.looks:
        return
    yield Evidence(
        where=Where(module=track.name, step=track.step),
        saw=f"`{track.name}` differs between {track.world} ranks by {track.apart:.1e} of its norm; some weight "
        f"differed at each of the last {track.looks_apart} looks",
        wanted="the same weights on every rank, as at the first look",
        severity=Severity.ERROR if track.wrapped else None,
        confidence=SURE if track.wrapped else None,
        numbers={"apart": track.apart, "looks": track.looks_apart, "world": track.world},
    )


CHECK = Check(
    id="FL970",
    summary="ranks that started with the same weights now hold different ones",
    causes=("env-distributed",),
    likely="some gradient is not averaged over the ranks, or one rank skipped a step that the others made",
    fix="compute every loss by calling the DistributedDataParallel model itself; skip a step on all ranks or on none",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
