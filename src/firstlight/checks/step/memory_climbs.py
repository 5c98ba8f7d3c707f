"""Memory grows from step to step without end.

## What it sees
Measured every fifty steps after the run had settled, memory rises so steadily that chance is out of the question,
and has grown by a third and by hundreds of megabytes.

## When it is fine
Replay buffers and caches fill up to their size and stop.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PaceTrack


class Limits(Settable):
    samples: int = 20
    """Measurements; fewer do not make a trend."""
    chance: float = 1e-4
    """Of so steady a rise without a trend."""
    times: float = 1.3
    """What it had settled at."""
    bytes: float = 1.5e8
    """At the least; below that there is no hurry."""


def find(track: PaceTrack, limits: Limits) -> Found:
    grown = track.memory_now - track.memory_start
    if track.samples < limits.samples or not track.memory_rising < limits.chance or not grown > limits.bytes:
        return
    if not track.memory_now > limits.times * track.memory_start:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"memory went from {track.memory_start / 1e9:.2f} GB to {track.memory_now / 1e9:.2f} GB and rises steadily",
        wanted="memory that settles",
        numbers={"start": track.memory_start, "now": track.memory_now},
    )


CHECK = Check(
    id="FL376",
    summary="memory grows from step to step without end",
    causes=("train-state-leak", "env-memory"),
    likely="losses or outputs are kept with their graph: `total += loss` without `.item()`, or a list of tensors",
    fix="keep `loss.item()` or `output.detach()`, never the tensor itself",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
