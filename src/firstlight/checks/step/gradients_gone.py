"""The optimizer steps when there are no gradients left.

## What it sees
A backward made gradients, but at the step every one of them was gone (None or zero): cleared in between, or the step
comes before the backward. The weights do not move.

## When it is fine
A step that is skipped on purpose once in a while; several in a row are not.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.facts import StepOrder
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    steps_in_a_row: int = 3
    """A loop in the wrong order does it at every step."""


def find(order: StepOrder, limits: Limits) -> Iterator[Evidence]:
    if order.longest_gone < limits.steps_in_a_row:
        return
    yield Evidence(
        where=at(order.site, rank=order.rank),
        saw=f"at {order.gone} of {order.steps} steps the gradients of the last backward had been cleared already",
        wanted="zero_grad, backward, step, in this order",
        numbers={"gone": order.gone, "steps": order.steps},
    )


CHECK = Check(
    id="FL303",
    name="gradients-gone",
    summary="the optimizer steps without gradients",
    causes=("train-order",),
    likely="`zero_grad()` stands between `backward()` and `step()`, or `step()` before `backward()`",
    fix="order the loop as `zero_grad()`, `backward()`, `step()`",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
