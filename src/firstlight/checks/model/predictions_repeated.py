"""Different targets are compared with the very same predictions.

## What it sees
Within one step a layer is called several times on one tensor, each time with the same weights, and its output is
compared with different targets each time. The predictions are identical at every look, so no weights can make them fit
all the targets: where several heads were meant, there is only one.

## When it is fine
A prediction that is computed once may be compared with any number of targets: a label and a teacher, two annotators,
two kinds of loss. Nor are these reported: the same targets in another order, targets that say nearly the same, layers
that share weights but not their input, and a network that is called as a whole twice.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import TwiceSeen


class Limits(Settable):
    looks: int = 2
    """Fewest looks; a single one may be a test."""
    likeness: float = 0.7
    """Smallest correlation of the targets at which they count as several opinions on the same thing and are not
    reported."""


def find(seen: TwiceSeen, limits: Limits) -> Found:
    if seen.looks < limits.looks or not seen.likeness < limits.likeness:
        return
    met = " and ".join(f"line {site.line}" for site in dict.fromkeys((seen.met, seen.met_again)) if site is not None)
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"`{seen.operation}` gives the same predictions for {seen.examples} examples {seen.times} times over, from "
        f"one tensor and one set of weights, and they are compared with {seen.times} different targets"
        + (f" in {met}" if met else ""),
        wanted=f"a layer with its own weights for each of the {seen.times}",
        numbers={"times": seen.times, "likeness": seen.likeness},
    )


CHECK = Check(
    id="FL421",
    summary="different targets are compared with the very same predictions",
    causes=("arch-shared",),
    likely="one layer is stored under several names, as `dict.fromkeys(names, layer)` and `[layer] * n` do",
    fix="build a separate layer for each: `{name: nn.Linear(…) for name in names}`",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
