"""No single check names the cause; all the evidence together does.

## What it sees
The observations and the experiments on copies of the program are weighed together. Either one cause is more likely than
all others together and the program shows no sign of learning, or a repair of that cause made a copy of the program
learn.

## When it is fine
It is an inference and says how sure it is. If the program learns and nothing was proven, nothing is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.inferred import Inferred


class Limits(Settable):
    probability: float = 0.5
    """Smallest probability; at one half the cause is as likely as all others together."""
    shown: int = 3
    """Most observations listed."""


def find(inferred: Inferred, limits: Limits) -> Found:
    if not 0 <= inferred.probability <= 1:
        return
    if inferred.proven is None and not (inferred.stands_still and inferred.probability >= limits.probability):
        return
    reasons = "; ".join(inferred.supported_by[: limits.shown]) or "what was tried on copies of the program"
    cured = f"; {inferred.proven}, and it learns" if inferred.proven is not None else ""
    yield Evidence(
        where=at(inferred.site, rank=inferred.rank),
        saw=f"{reasons}{cured}",
        wanted="a program that learns from its data",
        cause=inferred.cause,
        severity=Severity.ERROR if inferred.proven is not None else Severity.WARNING,
        confidence=inferred.probability,
        likely=f"{'proven' if inferred.proven is not None else 'inferred'}: {inferred.meaning}",
        do=inferred.fix or None,
        numbers={"probability": inferred.probability},
    )


CHECK = Check(
    id="FL509",
    summary="all the evidence together points to one cause",
    causes=("unknown",),
    likely="an inference from what was observed and tried",
    fix="run `firstlight diagnose --explain-trail` to see how it was reached",
    severity=Severity.WARNING,
    confidence=0.5,
    find=find,
)
