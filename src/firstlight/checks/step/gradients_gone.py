"""The optimizer steps while its parameters have no gradients.

## What it sees
A backward produced gradients, but by the time of the step all of them were gone (None or zero): they were cleared in
between, or the step comes before the backward. Or at nearly every step, none of the optimizer's parameters has received
a gradient since its last step, though other parameters may have; the report says so if they do not require gradients.
Either way, the optimizer's parameters do not learn.

## When it is fine
An occasional step without gradients, skipped on purpose or in a phase of alternating models, is fine; several in a row
are not.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import StepOrder


class Limits(Settable):
    steps_in_a_row: int = 3
    """Fewest steps in a row whose gradients were cleared; a loop in the wrong order does it at every step."""
    steps: int = 10
    """Fewest steps in all before the check says that parameters never get a gradient."""
    rehearsed: int = 3
    """The same in a rehearsal, which runs no more than this many rounds of a loop and the last one."""
    bare: float = 0.9
    """Smallest share of the steps at which no parameter of the optimizer had a new gradient."""
    frozen: float = 0.5
    """Share of the parameters without `requires_grad` from which that is given as the reason."""


def find(order: StepOrder, limits: Limits) -> Found:
    if order.longest_gone >= limits.steps_in_a_row:
        yield Evidence(
            where=at(order.site, rank=order.rank),
            saw=f"at {order.gone} of {order.steps} steps the gradients of the last backward had already been cleared",
            wanted="zero_grad, backward, step, in this order",
            numbers={"gone": order.gone, "steps": order.steps},
        )
    if order.steps >= (limits.rehearsed if order.rehearsed else limits.steps):
        yield from _never_made(order, limits)


def _never_made(order: StepOrder, limits: Limits) -> Found:
    if order.bare < limits.bare * order.steps:
        return
    frozen = order.frozen >= limits.frozen
    yield Evidence(
        where=at(order.site, rank=order.rank),
        saw=f"{order.bare} of {order.steps} steps of `{order.optimizer}` had no new gradient for any of its parameters"
        + (f", of which {order.frozen:.0%} require none" if frozen else ""),
        wanted="a gradient before each step",
        cause="train-frozen" if frozen else "loss-detached",
        confidence=0.9,
        likely="`requires_grad` was switched off for another part of the step and never switched back on"
        if frozen
        else "the loss does not depend on the parameters this optimizer holds",
        do="switch `requires_grad` on again before the loss of these parameters is computed",
        numbers={"bare": order.bare, "steps": order.steps, "frozen": order.frozen},
    )


CHECK = Check(
    id="FL303",
    summary="the optimizer steps without gradients",
    causes=("train-order", "train-frozen", "loss-detached"),
    likely="`zero_grad()` is called between `backward()` and `step()`, or `step()` before `backward()`",
    fix="order the loop as `zero_grad()`, `backward()`, `step()`",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
