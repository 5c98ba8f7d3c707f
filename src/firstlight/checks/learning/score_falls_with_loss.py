"""The validation loss gets better from evaluation to evaluation, and the score worse.

## What it sees
Over many evaluations the loss has fallen steadily, and lower losses went with worse scores. What is minimised is not
what is wanted, or one of the two is not computed as meant.

## When it is fine
A loss that rises while the accuracy still does is the other way round, quite usual late in a run, and not judged.
Scores whose good direction is not plain from their name are left out. A penalty in the loss may fall alone.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScoreTrack


class Limits(Settable):
    evaluations: int = 8
    """Fewer agree or disagree by chance."""
    improving: float = 0.8
    """Rank correlation of time and falling loss, at the least."""
    agreement: float = -0.5
    """Of better scores with lower losses, at the most; by chance it passes that once in ten with eight evaluations."""
    fell: float = 0.1
    """Share of the first loss by which it has come down."""


def find(track: ScoreTrack, limits: Limits) -> Found:
    if len(track.values) < limits.evaluations or not track.improving >= limits.improving:
        return
    first, last = track.losses[0], track.losses[-1]
    if not track.agreement < limits.agreement or not first - last > limits.fell * abs(first):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"over {len(track.values)} evaluations `{track.loss}` went from {first:.4g} to {last:.4g}, and "
        f"`{track.name}` from {track.values[0]:.4g} to {track.values[-1]:.4g}",
        wanted="a score that gets better with the loss",
        numbers={"agreement": track.agreement, "evaluations": len(track.values)},
    )


CHECK = Check(
    id="FL577",
    summary="the loss gets better, and the score worse",
    causes=("loss-mismatch", "train-metric", "loss-sign"),
    likely="the loss is not a stand-in for the score, or the score is computed on the wrong axis, split or side",
    fix="compute the score by hand on ten examples, before and after",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
