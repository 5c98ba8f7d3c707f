"""Steps take several times as long as they did.

## What it sees
The usual time of a step has grown several times over, and steps are long enough for it to matter.

## When it is fine
A curriculum of growing sequences or images takes longer on purpose, and whatever else the machine does slows a step: so
this is a note and never a red flag.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PaceTrack


class Limits(Settable):
    times: float = 3.0
    """The first steps' usual time; a busy machine seldom triples it for long."""
    shortest_s: float = 0.02
    """Shorter steps are not judged."""
    steps: int = 300
    """So that first and last steps are different ones."""


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
    summary="steps take several times as long as they did",
    causes=("train-state-leak", "env-input-bound", "env-memory"),
    likely="something grows from step to step: a graph, a list, a log; or the loader or the machine has slowed down",
    fix="profile ten steps now; look for what is appended to in the loop",
    severity=Severity.NOTE,
    confidence=0.5,
    find=find,
)
