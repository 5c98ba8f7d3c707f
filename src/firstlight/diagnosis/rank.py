"""Which causes explain the findings, and how likely each is to be there."""

from firstlight.diagnosis.causes import category_of
from firstlight.records.finding import Finding, Severity
from firstlight.records.report import Hypothesis

COUNTED = {Severity.ERROR: 1.0, Severity.WARNING: 0.8, Severity.NOTE: 0.2}
"""How much a finding's own confidence counts: a warning is meant to be looked at, a note is not a claim."""
LEAST = 0.05
UNKNOWN = "unknown"
"""A crash is not a cause."""


def rank(findings: tuple[Finding, ...]) -> tuple[Hypothesis, ...]:
    """Causes are not exclusive: two bugs are both there. Several findings of one cause support each other."""
    absent: dict[str, float] = {}
    because: dict[str, list[str]] = {}
    verified: set[str] = set()
    for finding in findings:
        if finding.cause == UNKNOWN:
            continue
        chance = finding.confidence * COUNTED[finding.severity]
        absent[finding.cause] = absent.get(finding.cause, 1.0) * (1.0 - chance)
        because.setdefault(finding.cause, []).append(finding.id)
        verified |= {finding.cause} if finding.verified else set()
    found = [
        Hypothesis(
            cause=cause,
            category=category_of(cause),
            probability=round(1.0 - left, 4),
            verified=cause in verified,
            because=tuple(dict.fromkeys(because[cause])),
        )
        for cause, left in absent.items()
        if 1.0 - left >= LEAST
    ]
    return tuple(sorted(found, key=lambda hypothesis: -hypothesis.probability))
