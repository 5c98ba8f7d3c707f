"""The model predicts the same for every input.

## What it sees
On a fixed batch with several classes, nearly all predictions are one class at look after look, far more than its share;
or the outputs of a regression hardly differ from example to example any more.

## When it is fine
If a batch is mostly of one class, most predictions are that class. In the first looks an untrained model favors one
class.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PredictionTrack


class Limits(Settable):
    share: float = 0.98
    """Smallest share of the predictions that are the same class."""
    beyond: float = 1.3
    """Smallest ratio of that share to the true share of the most common class."""
    spread: float = 0.005
    """Spread of the outputs, relative to the start, below which they count as the same."""
    looks: int = 6
    """Fewest looks; fewer belong to the start."""


def find(track: PredictionTrack, limits: Limits) -> Found:
    if track.looks < limits.looks:
        return
    one = track.classes > 1 and track.top_share >= max(limits.share, min(1.0, limits.beyond * track.true_share))
    flat = track.classes <= 1 and track.spread < limits.spread
    if not one and not flat:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.top_share:.0%} of the predictions are one class of {track.classes}"
        if one
        else f"the outputs differ only {track.spread:.2g} times as much from example to example as at the start",
        wanted=f"about {track.true_share:.0%}, the share of the most common class"
        if one
        else "outputs that depend on the inputs",
        numbers={"top_share": track.top_share, "true_share": track.true_share, "spread": track.spread},
    )


CHECK = Check(
    id="FL576",
    summary="the model predicts the same for every input",
    causes=("arch-dead-units", "data-imbalance", "hp-lr-high", "loss-mismatch", "arch-init"),
    likely="units died after a large step, or always predicting the most common class costs least",
    fix="check for dead units and for class imbalance; lower the learning rate",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
