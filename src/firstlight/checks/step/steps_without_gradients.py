"""An optimizer steps again and again without a new gradient for any of its parameters.

## What it sees
At nearly every step of an optimizer, none of the parameters it holds has got a gradient since its last step, while
others may have: what it holds does not learn. Where its parameters do not require gradients, that is why.

## When it is fine
A step now and then without gradients, as in phases or for alternating models, is not reported. Gradients that were made
and cleared are another illness (FL303).
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.facts import StepOrder
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    steps: int = 10
    """Fewer show nothing."""
    rehearsed: int = 3
    """Where a rehearsal came to them: it makes no more rounds of a loop than these and the last one."""
    bare: float = 0.9
    """Of its steps."""
    frozen: float = 0.5
    """Share of its parameters that require no gradient, from which on that is the reason."""


def find(order: StepOrder, limits: Limits) -> Iterator[Evidence]:
    if order.steps < (limits.rehearsed if order.rehearsed else limits.steps) or order.bare < limits.bare * order.steps:
        return
    frozen = order.frozen >= limits.frozen
    yield Evidence(
        where=at(order.site, rank=order.rank),
        saw=f"{order.bare} of {order.steps} steps of `{order.optimizer}` had no new gradient for any of its parameters"
        + (f", of which {order.frozen:.0%} require none" if frozen else ""),
        wanted="a gradient before each step",
        cause="train-frozen" if frozen else "loss-detached",
        likely=None if frozen else "the loss does not depend on what this optimizer holds",
        numbers={"bare": order.bare, "steps": order.steps, "frozen": order.frozen},
    )


CHECK = Check(
    id="FL315",
    name="steps-without-gradients",
    summary="an optimizer steps, and what it holds gets no gradient",
    causes=("train-frozen", "loss-detached"),
    likely="`requires_grad` was switched off for another part of the step and never on again",
    fix="switch `requires_grad` on again before the loss of these parameters is computed",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
