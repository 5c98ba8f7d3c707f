"""Memory use keeps growing from step to step.

## What it sees
Memory use, measured every fifty steps once the run has settled, rises too steadily for chance, and has grown by a third
and by more than a hundred megabytes.

## When it is fine
Replay buffers and caches fill up to their full size and then stop.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PaceTrack


class Limits(Settable):
    samples: int = 20
    """Fewest measurements; fewer do not make a trend."""
    chance: float = 1e-4
    """Largest probability that so steady a rise happens by chance."""
    times: float = 1.3
    """Growth over the level at which memory had settled, above which the check speaks."""
    bytes: float = 1.5e8
    """Growth in bytes above which the check speaks; less is not urgent."""


def find(track: PaceTrack, limits: Limits) -> Found:
    grown = track.memory_now - track.memory_start
    if track.samples < limits.samples or not track.memory_rising < limits.chance or not grown > limits.bytes:
        return
    if not track.memory_now > limits.times * track.memory_start:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"memory went from {track.memory_start / 1e9:.2f} GB to {track.memory_now / 1e9:.2f} GB and rises steadily",
        wanted="memory use that levels off",
        numbers={"start": track.memory_start, "now": track.memory_now},
    )


CHECK = Check(
    id="FL376",
    summary="memory use keeps growing from step to step",
    causes=("train-state-leak", "env-memory"),
    likely="losses or outputs are kept with their graph: `total += loss` without `.item()`, or a list of tensors",
    fix="keep `loss.item()` or `output.detach()`, never the tensor itself",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
