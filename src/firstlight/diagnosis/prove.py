"""Turns "likely" into "proven": the repair of a finding's cause was tried on a copy of the program, and it helped."""

import msgspec

from firstlight.diagnosis.knowledge.declare import Experiment
from firstlight.diagnosis.knowledge.repairs import repairs_of
from firstlight.facts.contrast import improves
from firstlight.records.facts import Contrast, Pair
from firstlight.records.finding import Finding, Severity

PROVEN = 0.99


def prove(findings: tuple[Finding, ...], contrast: Contrast | None) -> tuple[Finding, ...]:
    return findings if contrast is None else tuple(_proven(finding, contrast) for finding in findings)


def _proven(finding: Finding, contrast: Contrast) -> Finding:
    if finding.severity is Severity.NOTE:
        return finding
    for repair in repairs_of(finding.cause):
        pair = contrast.of(repair.slug)
        if pair is not None and improves(pair):
            numbers = {"as_it_is": pair.base.last, "repaired": pair.other.last, "steps_compared": pair.steps}
            return msgspec.structs.replace(
                finding,
                verified=True,
                confidence=max(finding.confidence, PROVEN),
                likely=f"proven: {told(repair, pair)}",
                evidence={**finding.evidence, **numbers},
            )
    return finding


def told(repair: Experiment, pair: Pair) -> str:
    as_it_is = f"{pair.base.last:.3g}" if pair.base.finite else "a value that is not finite"
    return f"{repair.does}, and the same {pair.steps} steps reach {pair.other.last:.3g} instead of {as_it_is}"
