"""Different answers are held against the very same predictions.

## What it sees
Within one step a layer is called several times on one tensor, each time with the same weights, and what it gives is
compared with different answers each time. The predictions are the same number for number, look after look, so no
weights can make them fit both: where several heads were meant, there is one.

## When it is fine
A prediction that is computed once may be held against as many answers as one likes: a label and a teacher, two
annotators, two kinds of loss. So may the same answers in another order, answers that say nearly the same, layers that
share weights but not their input, and a network that is called as a whole twice.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import TwiceSeen


class Limits(Settable):
    looks: int = 2
    """One may be a test."""
    likeness: float = 0.7
    """Correlation of the answers, from which on they are several opinions of one thing."""


def find(seen: TwiceSeen, limits: Limits) -> Found:
    if seen.looks < limits.looks or not seen.likeness < limits.likeness:
        return
    met = " and ".join(f"line {site.line}" for site in dict.fromkeys((seen.met, seen.met_again)) if site is not None)
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"`{seen.operation}` gives the same predictions for {seen.examples} examples {seen.times} times over, from "
        f"one tensor and one set of weights, and they are held against {seen.times} different answers"
        + (f" in {met}" if met else ""),
        wanted=f"weights of its own for each of the {seen.times}",
        numbers={"times": seen.times, "likeness": seen.likeness},
    )


CHECK = Check(
    id="FL421",
    summary="different answers are held against the very same predictions",
    causes=("arch-shared",),
    likely="one layer stands under several names, as `dict.fromkeys(names, layer)` or `[layer] * n` leave it",
    fix="build a layer for each: `{name: nn.Linear(…) for name in names}`",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
