"""The model answers the same, whatever it is asked.

## What it sees
On a fixed batch of several classes, look after look, nearly all predictions are one class, far beyond its share; or the
outputs of a regression hardly differ any more from example to example.

## When it is fine
A batch that is mostly of one class is answered mostly with it. In the first looks an untrained model has its favourite.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PredictionTrack


class Limits(Settable):
    share: float = 0.98
    """Of predictions that are the same class."""
    beyond: float = 1.3
    """Times the true share of the commonest class."""
    spread: float = 0.005
    """Of the outputs, over what it was at the start."""
    looks: int = 6
    """Fewer belong to the start."""


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
        else f"the outputs differ {track.spread:.2g} times as much from example to example as at the start",
        wanted=f"about {track.true_share:.0%}, the share of the commonest class"
        if one
        else "outputs that depend on inputs",
        numbers={"top_share": track.top_share, "true_share": track.true_share, "spread": track.spread},
    )


CHECK = Check(
    id="FL576",
    summary="the model answers the same, whatever it is asked",
    causes=("arch-dead-units", "data-imbalance", "hp-lr-high", "loss-mismatch", "arch-init"),
    likely="units died after a large step, or always answering the commonest class is the cheapest",
    fix="look at the dead units and at the balance of the classes; lower the learning rate",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
