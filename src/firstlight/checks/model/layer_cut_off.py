"""A layer that was trained no longer gets any gradient.

## What it sees
Parameters that ask for a gradient and had one get none for many steps, while others still do.

## When it is fine
A layer frozen on purpose (`requires_grad_(False)`) does not ask for one. Branches that run by chance
come back: a layer that was left out before must stay away far longer.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import TensorTrack
from firstlight.records.places import Where


class Limits(Settable):
    looks: int = 6
    """In a row, eight steps apart."""
    chance: float = 1e-6
    """Of so many in a row for a layer that is left out at random, as often as this one was before."""


def find(track: TensorTrack, limits: Limits) -> Iterator[Evidence]:
    away = [t for t in track.tensors if t.gone >= limits.looks]
    gone = [t for t in away if min(max(t.absent, 0.0), 1.0) ** t.gone < limits.chance]
    if not gone or len(away) == len(track.tensors):
        return
    yield Evidence(
        where=Where(module=gone[0].name, step=track.step, rank=track.rank),
        saw=f"{len(gone)} of {len(track.tensors)} parameters, first `{gone[0].name}`, had gradients and have had "
        f"none for "
        f"the last {gone[0].gone} looks",
        wanted="gradients for every parameter that asks for one",
        numbers={"parameters": len(gone), "of": len(track.tensors)},
    )


CHECK = Check(
    id="FL476",
    name="layer-cut-off",
    summary="a layer that was trained no longer gets any gradient",
    causes=("loss-detached", "train-frozen", "arch-unused"),
    likely="a `detach`, a `no_grad` or a branch of the program takes it out of the graph from some step on",
    fix="look for what changes at that step: a schedule of phases, a branch on the epoch, a `detach`",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
