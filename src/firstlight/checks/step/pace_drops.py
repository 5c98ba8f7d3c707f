"""Steps take several times as long as they did at first.

## What it sees
The typical duration of a step has grown to several times what it was, and steps are long enough for it to matter.

## When it is fine
A curriculum of growing sequences or images takes longer on purpose, and other work on the machine slows steps down;
that is why this is only a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PaceTrack


class Limits(Settable):
    times: float = 3.0
    """Ratio to the duration of the first steps that must be exceeded; a busy machine seldom triples it for long."""
    shortest_s: float = 0.02
    """Duration of a step, in seconds, up to which it is not judged."""
    steps: int = 300
    """Fewest steps, so that the first and the last ones do not overlap."""


def find(track: PaceTrack, limits: Limits) -> Found:
    if track.steps < limits.steps or not track.start_s > 0 or not track.level_s > limits.shortest_s:
        return
    if not track.level_s > limits.times * track.start_s:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"a step took {track.start_s:.3g} s at first and takes {track.level_s:.3g} s now",
        wanted=f"less than {limits.times:g} times as long",
        numbers={"start_s": track.start_s, "level_s": track.level_s},
    )


CHECK = Check(
    id="FL375",
    summary="steps take several times as long as they did at first",
    causes=("train-state-leak", "env-input-bound", "env-memory"),
    likely="something grows from step to step (a graph, a list, a log), or the loader or the machine has slowed down",
    fix="profile ten steps now; look for anything the loop appends to",
    severity=Severity.NOTE,
    confidence=0.5,
    find=find,
)
