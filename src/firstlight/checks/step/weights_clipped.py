"""The weights are clipped to a limit that most of them are held at.

## What it sees
Before most steps, the elements of the weights that are larger than some limit have been cut down to it. Most elements
stand at that limit, and many were at it or beyond before the first step, so that the limit overrules the initialization
as well as the steps.

## When it is fine
A limit far above the initial weights, as for weights of which only the sign is used. A critic whose weights are clipped
tightly on purpose has an opponent with an optimizer of its own; with several optimizers nothing is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Handling


class Limits(Settable):
    steps: int = 8
    """Fewest steps; in fewer, the program may still be setting up."""
    share: float = 0.5
    """Smallest share of the steps before which the weights are changed."""
    bounded: float = 0.5
    """Smallest share of the elements held at the limit; constraints that only shape a network bind fewer."""
    beyond: float = 0.25
    """Smallest share of the elements that began at the limit or beyond; those kept for their signs begin below."""


def find(handling: Handling, limits: Limits) -> Found:
    if handling.steps < limits.steps or not handling.touches or handling.optimizers > 1:
        return
    if len(handling.touches) < limits.share * handling.touches[-1].step:  # later ones may not have been told
        return
    bounded, beyond, limit = map(handling.median, ("bounded", "beyond", "limit"))
    if not (bounded >= limits.bounded and beyond >= limits.beyond):
        return
    yield Evidence(
        where=at(handling.site, module=handling.touches[0].tensor, rank=handling.rank),
        saw=f"between the steps of {handling.optimizer} the weights are clipped to {limit:.3g}: {bounded:.0%} of their "
        f"elements are held there, and {beyond:.0%} were as large or larger before the first step",
        wanted="weights that keep what a step makes of them",
        numbers={"bounded": bounded, "beyond": beyond, "limit": limit},
    )


CHECK = Check(
    id="FL351",
    summary="the weights are clipped to a limit that most of them are held at",
    causes=("hp-clip",),
    likely="the weights are clipped where the gradients were meant to be",
    fix="clip the gradients instead (`clip_grad_norm_`), between the backward and the step",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
    since="0.2",
)
