"""Steps wait for the loader.

## What it sees
Over a hundred steps, a good part of the time is spent waiting for the next batch, and steps are long enough for it to
matter.

## When it is fine
Short steps of small models always wait and lose nothing by it. If the model itself runs on the CPU, loading competes
with it and with everything else on the machine: that is a note and never a red flag.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import FeedTrack


class Limits(Settable):
    share: float = 0.4
    """Largest share of a step's time, as a median, that may be spent waiting."""
    shortest_s: float = 0.03
    """Seconds; shorter steps are not judged."""


def find(track: FeedTrack, limits: Limits) -> Found:
    if not track.wait_share > limits.share or not track.step_s > limits.shortest_s:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.wait_share:.0%} of a step's {track.step_s:.3g} s is spent waiting for the next batch",
        wanted=f"less than {limits.share:.0%}",
        severity=None if track.on_device else Severity.NOTE,
        numbers={"share": track.wait_share, "step_s": track.step_s},
    )


CHECK = Check(
    id="FL171",
    summary="steps wait for the loader",
    causes=("env-input-bound",),
    likely="too few loader workers, or slow decoding and augmentation",
    fix="raise `num_workers`, set `pin_memory` and `prefetch_factor`, or prepare the data once",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
