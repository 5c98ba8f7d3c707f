"""Which causes the incidents name, and how likely each is by its witnesses alone."""

import math

from firstlight.diagnosis.causes import category_of
from firstlight.records.finding import Finding
from firstlight.records.report import Hypothesis

LEAST_PROBABLE = 0.05
"""Causes below it are not shown."""
UNKNOWN = "unknown"
"""A crash is not a cause."""


def rank(findings: tuple[Finding, ...]) -> tuple[Hypothesis, ...]:
    """Causes are not exclusive: two bugs are both there. Several witnesses of one cause support each other."""
    by_cause: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.cause != UNKNOWN:
            by_cause.setdefault(finding.cause, []).append(finding)
    found = [_hypothesis(cause, group) for cause, group in by_cause.items()]
    return tuple(sorted((one for one in found if one.probability >= LEAST_PROBABLE), key=lambda one: -one.probability))


def _hypothesis(cause: str, findings: list[Finding]) -> Hypothesis:
    weights = [(witness.id, witness.weight) for finding in findings for witness in finding.witnesses]
    return Hypothesis(
        cause=cause,
        category=category_of(cause),
        probability=round(1.0 - math.prod(1.0 - weight for _, weight in weights), 4),
        verified=any(finding.verified for finding in findings),
        because=tuple(dict.fromkeys(name for name, weight in weights if weight > 0)),
    )
