"""Most units of a layer are zero for every example.

## What it sees
At three looks in a row, hundreds of steps apart, most units after a ReLU were zero for the whole batch.

## When it is fine
A few dead units are normal, and sparse features are rarely active. Layers of very few units are not judged by their
share alone.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ActivationTrack

SURE = 0.9


class Limits(Settable):
    share: float = 0.6
    """Smallest share of a layer's units that are dead; healthy layers seldom exceed a third."""
    severe: float = 0.95
    """Share of dead units from which the layer passes almost nothing, which is an error."""


def find(track: ActivationTrack, limits: Limits) -> Found:
    dead = [module for module in track.modules if module.dead >= limits.share]
    if not dead:
        return
    worst = max(dead, key=lambda module: module.dead)
    yield Evidence(
        where=Where(module=worst.name, step=track.step, rank=track.rank),
        saw=f"{worst.dead:.0%} of the units of `{worst.name}` were zero for every example at three looks in a row"
        + (f", and likewise in {len(dead) - 1} more layers" if len(dead) > 1 else ""),
        wanted=f"less than {limits.share:.0%}",
        severity=Severity.ERROR if worst.dead >= limits.severe else None,
        confidence=SURE if worst.dead >= limits.severe else None,
        numbers={"dead": worst.dead, "layers": len(dead)},
    )


CHECK = Check(
    id="FL470",
    summary="most units of a layer are zero for every example",
    causes=("arch-dead-units", "hp-lr-high", "arch-init"),
    likely="a large step pushed their biases far below zero, and no gradient brings them back",
    fix="lower the learning rate or warm it up, and start again; or use LeakyReLU or GELU",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
