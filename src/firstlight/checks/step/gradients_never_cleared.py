"""Gradients are never cleared: each backward adds to the sum of all earlier ones.

## What it sees
For several steps in a row, backward found the gradients of the previous step still in place, unchanged, and added to
them. Adam can make such a run look healthy for a long time.

## When it is fine
Gradient accumulation clears once per step and is not reported. Second-order methods that call backward inside `step`
are judged by what their closure does.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import StepOrder


class Limits(Settable):
    steps_in_a_row: int = 3
    """Fewest such steps in a row. Two steps on one backward do it once; a loop that never clears does it every step."""


def find(order: StepOrder, limits: Limits) -> Found:
    if order.longest_pile < limits.steps_in_a_row:
        return
    grew = ""
    if order.first_grad_norm and order.last_grad_norm is not None:
        grew = f"; the gradient norm went from {order.first_grad_norm:.3g} to {order.last_grad_norm:.3g}"
    yield Evidence(
        where=at(order.backward_site or order.site, rank=order.rank),
        saw=f"at {order.piled_up} of {order.steps} steps backward added to the gradients of the step before{grew}",
        wanted="gradients cleared between one step and the next backward",
        numbers={"piled_up": order.piled_up, "steps": order.steps},
    )


CHECK = Check(
    id="FL301",
    summary="gradients pile up from step to step",
    causes=("train-no-zero-grad",),
    likely="`optimizer.zero_grad()` is missing from the loop, or belongs to another optimizer",
    fix="call `optimizer.zero_grad()` once per step, before `backward()`",
    severity=Severity.ERROR,
    confidence=0.98,
    exhaustive=True,
    find=find,
)
