"""What the network is told hardly depends on its answers.

## What it sees
At a few backwards the answers of a batch are exchanged between its examples, and the gradients that the outputs of the
network get are computed again. They stay what they were, but for a ten-thousandth: other terms of the loss drown the
comparison with these answers, or the answers are so small that predictions are compared with nothing.

## When it is fine
An auxiliary task that is switched on later, and rewards that are not found yet: answers that are all alike are not
judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Pulling


class Limits(Settable):
    share: float = 1e-4
    """Of the gradients of the outputs; in programs that learn from their answers a tenth and more."""
    looks: int = 2
    """At all of which it is so; a single batch may be odd."""


def find(pulling: Pulling, limits: Limits) -> Found:
    if pulling.share is None or pulling.looks < limits.looks or not pulling.share < limits.share:
        return
    what = "returns" if pulling.acting else "answers"
    yield Evidence(
        where=at(pulling.meeting.site, step=pulling.step, rank=pulling.rank),
        saw=f"with the {what} of other examples, the gradients of the outputs change by {pulling.share:.1g} of their "
        f"size, at the most of {pulling.looks} looks",
        wanted=f"gradients that depend on which {what} belong to an example",
        cause="rl-reward" if pulling.acting else None,
        likely="rewards are scaled to nothing beside what the network itself estimates" if pulling.acting else None,
        do="print the returns beside the values that are learnt from them" if pulling.acting else None,
        numbers={"share": pulling.share},
    )


CHECK = Check(
    id="FL229",
    summary="what the network is told hardly depends on its answers",
    causes=("loss-scale", "rl-reward"),
    likely="the weight of this term is too small by orders of magnitude, or that of another one too large",
    fix="print the terms of the loss, weighted, one by one, and bring them to a similar size",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
