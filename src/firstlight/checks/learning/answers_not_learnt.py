"""The program trains, but nothing it does depends on which target belongs to which input.

## What it sees
At each step the loss is computed once more with the targets of the batch shuffled among its examples. In a program that
learns, the true targets come to fit better than shuffled ones, and the gap keeps growing. Here the gap did not grow in
all the steps that were watched at the full learning rate.

## When it is fine
Tasks that need many more steps than were watched before they show anything: raise `--steps`. Nothing is reported while
the learning rate is warming up, where two players compete, or where rewards are sparse.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.learning import NO_SIGN, LearningSign


class Limits(Settable):
    steps: int = 80
    """Fewest backwards measured; the slowest healthy program that was tried needed 73 to show a sign."""


def find(sign: LearningSign, limits: Limits) -> Found:
    if sign.status != NO_SIGN or sign.steps < limits.steps:
        return
    yield Evidence(
        where=at(sign.meeting or sign.site, rank=sign.rank),
        saw=f"in {sign.steps} steps the loss went from {_number(sign.first)} to {_number(sign.last)}; with targets "
        f"shuffled among the examples it is {_number(sign.without_inputs)}, and the two did not move apart",
        wanted="a loss that falls below the one for targets of other inputs",
        numbers={"first": sign.first, "last": sign.last, "without_inputs": sign.without_inputs, "steps": sign.steps},
    )


def _number(value: float | None) -> str:
    return "a value that is not finite" if value is None or not math.isfinite(value) else f"{value:.4g}"


CHECK = Check(
    id="FL508",
    summary="nothing the program learns depends on which target belongs to which input",
    causes=("unknown",),
    likely="inputs, gradients or updates are broken somewhere between the data and the weights, or more steps are "
    "needed",
    fix="run `firstlight diagnose` on the program: it tries the causes one by one",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    symptom=True,
)
