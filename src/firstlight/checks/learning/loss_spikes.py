"""The loss spikes again and again.

## What it sees
Several times in a thousand steps a single loss was far above its neighbors and above the starting level of the run, and
came back within a few steps.

## When it is fine
A single spike is harmless. Losses near zero jump by large factors when a batch holds one hard example: to count, a
spike must exceed the loss of the untrained model. Spikes whose gradients the program clips do no harm and are not
counted.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    spikes: int = 3
    """Fewest spikes in a thousand steps; healthy heavy-tailed noise makes none that also exceed the start."""


def find(track: LossTrack, limits: Limits) -> Found:
    if track.spikes < limits.spikes or track.rivals > 1 or not track.fed:
        return
    at = ", ".join(str(step) for step in track.spiked_at[-limits.spikes :])
    yield Evidence(
        where=Where(step=track.spiked_at[-1] if track.spiked_at else track.step, rank=track.rank),
        saw=f"{track.spikes} times in the last thousand steps the loss rose above its starting value {track.start:.4g} "
        f"from about {track.level:.4g}, and came back{f': at steps {at}' if at else ''}",
        wanted="single losses of the same order of magnitude as their neighbors",
        numbers={"spikes": track.spikes, "start": track.start, "level": track.level},
    )


CHECK = Check(
    id="FL572",
    summary="the loss spikes again and again",
    causes=("data-outlier", "hp-lr-high", "num-precision"),
    likely="a few corrupt or extreme examples, or steps that are too large for the hardest batches",
    fix="look at the batches of those steps; if they are ordinary, clip the gradients",
    severity=Severity.WARNING,
    confidence=0.5,
    find=find,
)
