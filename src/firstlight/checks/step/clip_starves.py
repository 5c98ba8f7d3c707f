"""Gradients are clipped so hard that nothing moves.

## What it sees
The norm of the gradients is a hundred times the norm they are clipped to. A copy of the program is run from the same
first batch, without clipping and with nothing else changed; that copy learns, and the program hardly does.

## When it is fine
Adam and similar optimizers divide by the size of the gradient, so clipping hardly matters: there the copy learns no
more than the program, and nothing is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast


class Limits(Settable):
    steps: int = 100
    """Fewest steps of the copy; fewer say little about a slow start."""
    tightness: float = 100.0
    """Smallest ratio of the median norm to the clipping limit; spikes are clipped by less, and not at every step."""


def find(contrast: Contrast, limits: Limits) -> Found:
    pair, clip = contrast.of("unclipped"), contrast.clip
    if pair is None or clip is None or not contrast.meant_to_fall or pair.steps < limits.steps:
        return
    if clip.late or clip.scaled or not clip.median_norm >= limits.tightness * clip.max_norm:
        return
    if not pair.cured:
        return
    yield Evidence(
        where=at(clip.site, step=clip.first_step, rank=contrast.rank),
        saw=f"gradients of norm {clip.median_norm:.3g} are clipped to {clip.max_norm:.3g}; in {pair.steps} steps the "
        f"loss went from {pair.base.first:.4g} to {pair.base.last:.4g}, and without clipping to {pair.other.last:.4g}",
        wanted="a limit that only rare spikes reach",
        do=f"raise `max_norm` to about {2 * clip.median_norm:.2g}, twice the usual norm, and check again",
        numbers={"norm": clip.median_norm, "max_norm": clip.max_norm, "unclipped": pair.other.last},
    )


CHECK = Check(
    id="FL310",
    summary="gradients are clipped so hard that nothing moves",
    causes=("hp-clip",),
    likely="`max_norm` was chosen for a loss or a model of another scale",
    fix="set `max_norm` to about twice the usual norm of the gradients, and check again",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
