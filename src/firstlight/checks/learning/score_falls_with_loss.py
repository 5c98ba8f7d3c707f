"""The validation loss improves over the evaluations, but the score gets worse.

## What it sees
Over many evaluations the loss has fallen steadily, and lower losses went with worse scores. Either the minimized loss
is not what is wanted, or one of the two is computed wrongly.

## When it is fine
The opposite, a loss that rises while accuracy still improves, is common late in a run and not judged. Scores whose good
direction is not clear from their name are left out. A penalty in the loss may fall on its own.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScoreTrack


class Limits(Settable):
    evaluations: int = 8
    """Fewest evaluations; fewer agree or disagree by chance."""
    improving: float = 0.8
    """Smallest rank correlation between time and falling loss."""
    agreement: float = -0.5
    """Rank correlation of better scores with lower losses that must not be reached; with eight evaluations chance
    passes it once in ten times."""
    fell: float = 0.1
    """Smallest share of the first loss by which the loss has fallen."""


def find(track: ScoreTrack, limits: Limits) -> Found:
    if len(track.values) < limits.evaluations or not track.improving >= limits.improving:
        return
    first, last = track.losses[0], track.losses[-1]
    if not track.agreement < limits.agreement or not first - last > limits.fell * abs(first):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"over {len(track.values)} evaluations `{track.loss}` went from {first:.4g} to {last:.4g}, but "
        f"`{track.name}` from {track.values[0]:.4g} to {track.values[-1]:.4g}",
        wanted="a score that improves with the loss",
        numbers={"agreement": track.agreement, "evaluations": len(track.values)},
    )


CHECK = Check(
    id="FL577",
    summary="the loss improves, but the score gets worse",
    causes=("loss-mismatch", "train-metric", "loss-sign"),
    likely="the loss does not stand in for the score, or the score is computed on the wrong axis, split or side",
    fix="compute the score by hand on ten examples, before and after",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
