"""The scale of the inputs keeps the model from learning.

## What it sees
A copy of the program in which every batch was standardised before it reached the model, and nothing else was changed,
came much further in the same steps from the same weights.

## When it is fine
The lead may be one of the first steps alone: a long run with an adaptive optimizer can catch up. That is why it takes a
program that hardly learns at all to be called ill.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.facts import Contrast
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    lead: float = 0.5
    """Of the program's own last loss that the standardised copy must reach at most."""
    stuck: float = 0.9
    """Of its first loss: a program that stays above has not begun to learn."""
    noises: float = 3.0
    """Of both ends, by which the difference must exceed."""
    steps: int = 40
    """Compared; in fewer a lead says little."""


def find(contrast: Contrast, limits: Limits) -> Iterator[Evidence]:
    pair = contrast.of("standardised")
    if pair is None or not contrast.supervised or not pair.other.finite or pair.steps < limits.steps:
        return
    if pair.base.finite:
        apart = pair.base.last - pair.other.last
        clear = apart > limits.noises * (pair.base.noise + pair.other.noise)
        if not clear or pair.other.last > limits.lead * pair.base.last or pair.base.last <= 0:
            return
    stuck = not pair.base.finite or pair.base.last > limits.stuck * pair.base.first
    as_it_is = f"{pair.base.last:.3g}" if pair.base.finite else "a value that is not finite"
    yield Evidence(
        where=at(contrast.loss_site),
        saw=f"after {pair.steps} steps the loss is {as_it_is}; with standardised inputs it is {pair.other.last:.3g}",
        wanted="inputs whose scale makes no such difference",
        severity=Severity.ERROR if stuck else Severity.WARNING,
        numbers={"as_it_is": pair.base.last, "standardised": pair.other.last, "steps": pair.steps},
    )


CHECK = Check(
    id="FL550",
    name="scale-hinders",
    summary="the model learns far better from standardised inputs",
    causes=("data-scale",),
    likely="features are fed in raw units",
    fix="standardise each feature with the mean and deviation of the training part; divide pixels by 255",
    severity=Severity.ERROR,
    confidence=0.9,
    needs=Contrast,
    limits=Limits(),
    find=find,
)
