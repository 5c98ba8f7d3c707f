"""Parameters start at zero together, and each keeps the other's gradient at zero.

## What it sees
In a rehearsal of the whole program, with all its stages, some tensors that an optimizer steps are exactly zero, and so
is their gradient, at every step. When one of them is moved off zero for a single backward, others get a gradient: they
are factors of each other, like the two of a low-rank adapter, and neither will ever move.

## When it is fine
Adapters and branches are meant to start with one of two factors at zero; that factor has a gradient from the first step
on. Branches that are switched on later, experts that are not chosen and dead units get no gradient from the others when
those are moved, and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.stuck import StuckAtZero


class Limits(Settable):
    steps: int = 6
    """Fewest steps, at every one of which the tensors and their gradients were zero."""


def find(seen: StuckAtZero, limits: Limits) -> Found:
    if seen.nudged is None or not seen.woken.tensors or seen.steps < limits.steps:
        return
    whole = seen.stuck.tensors + seen.others
    woken = ", ".join(f"`{name}`" for name in seen.woken.names)
    yield Evidence(
        where=at(seen.site, module=seen.nudged, rank=seen.rank),
        saw=f"{seen.stuck.tensors} of the {whole} tensors that `{seen.optimizer}` trains are zero, and so are their "
        f"gradients, at each of {seen.steps} steps; with `{seen.nudged}` moved off zero, {woken} had a gradient",
        wanted="at most one factor of a product at zero",
        numbers={"stuck": seen.stuck.tensors, "of": whole, "elements": seen.stuck.elements, "steps": seen.steps},
    )


CHECK = Check(
    id="FL458",
    summary="parameters that start at zero together keep each other there",
    causes=("arch-init",),
    likely="both factors of a product are set to zero; only the last one should be",
    fix="initialize the first factor at random, and leave the other at zero",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
