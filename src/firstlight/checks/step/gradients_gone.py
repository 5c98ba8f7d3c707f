"""The optimizer steps when there are no gradients for what it holds.

## What it sees
A backward made gradients, but at the step every one of them was gone (None or zero): cleared in between, or the step
comes before the backward. Or at nearly every step none of the parameters that the optimizer holds has got a gradient
since its last step, while others may have; where its parameters do not require gradients, that is why. What it holds
does not learn.

## When it is fine
A step now and then without gradients, skipped on purpose or in phases of alternating models; several in a row are not.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import StepOrder


class Limits(Settable):
    steps_in_a_row: int = 3
    """Whose gradients were cleared: a loop in the wrong order does it at every step."""
    steps: int = 10
    """Without any gradient since the last one; fewer show nothing."""
    rehearsed: int = 3
    """Where a rehearsal came to them: it makes no more rounds of a loop than these and the last one."""
    bare: float = 0.9
    """Of its steps."""
    frozen: float = 0.5
    """Share of its parameters that require no gradient, from which on that is the reason."""


def find(order: StepOrder, limits: Limits) -> Found:
    if order.longest_gone >= limits.steps_in_a_row:
        yield Evidence(
            where=at(order.site, rank=order.rank),
            saw=f"at {order.gone} of {order.steps} steps the gradients of the last backward had been cleared already",
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
        likely="`requires_grad` was switched off for another part of the step and never on again"
        if frozen
        else "the loss does not depend on what this optimizer holds",
        do="switch `requires_grad` on again before the loss of these parameters is computed",
        numbers={"bare": order.bare, "steps": order.steps, "frozen": order.frozen},
    )


CHECK = Check(
    id="FL303",
    summary="the optimizer steps without gradients",
    causes=("train-order", "train-frozen", "loss-detached"),
    likely="`zero_grad()` stands between `backward()` and `step()`, or `step()` before `backward()`",
    fix="order the loop as `zero_grad()`, `backward()`, `step()`",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
