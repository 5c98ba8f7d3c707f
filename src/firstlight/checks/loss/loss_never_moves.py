"""The loss is exactly the same number from the first step on.

## What it sees
Every loss since the run began is exactly the same, although the batches differ.

## When it is fine
Full-batch training that has converged repeats its loss, but it did not start there. Hinge and triplet losses reach
exactly zero and stay there; they started above it.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    steps: int = 24
    """Fewest bit-identical losses; with different batches two in a row are already unlikely."""


def find(track: LossTrack, limits: Limits) -> Found:
    if track.same < limits.steps or track.same < track.steps or not track.fed:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"all {track.same} losses so far are exactly {track.level:.6g}",
        wanted="losses that differ from batch to batch",
        numbers={"loss": track.level, "steps": track.same},
    )


CHECK = Check(
    id="FL270",
    summary="the loss is exactly the same number from the first step on",
    causes=("loss-mismatch", "data-labels-masked", "loss-detached"),
    likely="the loss does not depend on the batch: one column of scores, every target ignored, or a constant",
    fix="print the prediction and the target of one batch just before the loss",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
