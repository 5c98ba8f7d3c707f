"""The scores are so close together that the softmax stays uniform whatever the model does.

## What it sees
The loss stays where guessing among the classes would put it. A copy of the program with ten times the learning rate
gets no further, but one whose scores are multiplied by 100 before the softmax does: the scores themselves are held in
too narrow a range.

## When it is fine
A model that has not begun to learn also improves with a higher learning rate, given as many steps, and is not reported;
nor is one that stays on a plateau for a while and has left it by the end of the steps watched. With several optimizers
that take turns, a loss at chance may be what the other one wants.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import AS_LONG, Contrast


class Limits(Settable):
    steps: int = 100
    """Fewest optimizer steps; before that many programs are still near guessing."""
    near_guessing: float = 0.85
    """Share of a guess's loss above which the program counts as still guessing."""
    no_help: float = 0.15
    """Largest share of its first loss that the copy with the higher rate may lose."""
    helps: float = 0.25
    """Smallest share by which sharper scores must lower the loss."""


def find(contrast: Contrast, limits: Limits) -> Found:
    sharper, faster = contrast.of("sharpened"), contrast.of("lr-tenfold")
    if contrast.loss != "cross_entropy" or not contrast.classes or sharper is None or faster is None:
        return
    if not contrast.meant_to_fall:
        return
    guess = math.log(contrast.classes)
    if not contrast.updates(sharper) >= limits.steps or not (
        sharper.other.finite and faster.other.finite and sharper.base.finite
    ):
        return
    if not faster.steps >= AS_LONG * sharper.steps:
        return
    near, reached = limits.near_guessing * guess, contrast.reached
    stuck = sharper.base.last > near and (reached is None or not reached.finite or reached.last > near)
    start = min(faster.base.first, faster.other.first)  # the same weights; the faster run may have left them at once
    idle = start - faster.other.last <= limits.no_help * start
    if not (stuck and idle and sharper.other.last <= (1 - limits.helps) * sharper.base.last):
        return
    yield Evidence(
        where=at(contrast.loss_site, rank=contrast.rank),
        saw=f"after {sharper.steps} steps the loss is {sharper.base.last:.3g}, and a guess among {contrast.classes} "
        f"scores {guess:.3g}; ten times the learning rate gives {faster.other.last:.3g}, scores times 100 give "
        f"{sharper.other.last:.3g}",
        wanted="scores that can differ by several units",
        numbers={"as_is": sharper.base.last, "sharper": sharper.other.last, "guess": guess},
    )


CHECK = Check(
    id="FL208",
    summary="the scores are too close together for the softmax to tell them apart",
    causes=("loss-scale",),
    likely="scores are multiplied by a temperature that should divide them, or are unscaled cosine similarities",
    fix="divide the scores by the temperature (or multiply them by a scale of 10 to 30) before the loss",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    repairs=("sharpened",),
)
