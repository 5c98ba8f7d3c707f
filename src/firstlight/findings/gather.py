"""One incident per cause and place, the most decisive first; symptoms yield to what explains them."""

import msgspec

from firstlight.records.finding import Finding, Severity


def gather(findings: tuple[Finding, ...], symptoms: frozenset[str]) -> tuple[Finding, ...]:
    return order(one_a_cause(explain_symptoms(merge(findings), symptoms), symptoms), symptoms)


def merge(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Sightings of one cause at one place become one incident that shows the first and counts the rest."""
    incidents: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        place = (finding.where.file, finding.where.line) if finding.where.file else (None, finding.where.module)
        key = (finding.cause, finding.id, *place)
        first = incidents.get(key)
        incidents[key] = finding if first is None else _joined(first, finding)
    return tuple(incidents.values())


def _joined(first: Finding, other: Finding) -> Finding:
    shown, hidden = (first, other) if _moment(first) <= _moment(other) else (other, first)
    worst = max(first.severity, other.severity, key=lambda severity: severity.weight)
    return msgspec.structs.replace(shown, count=shown.count + hidden.count, severity=worst)


def _moment(finding: Finding) -> tuple[int, int]:
    return finding.where.step or 0, finding.where.rank or 0


def explain_symptoms(findings: tuple[Finding, ...], symptoms: frozenset[str]) -> tuple[Finding, ...]:
    """A loss that explodes because gradients pile up is not a second illness.

    A symptom that names a cause of its own yields to errors; one that names none, to whatever does.
    """
    ordered = order(findings, symptoms)
    named = [f for f in ordered if f.id not in symptoms and f.cause != "unknown" and f.severity is not Severity.NOTE]
    grave = [finding for finding in named if finding.severity is Severity.ERROR]

    def told(finding: Finding) -> Finding:
        roots = named if finding.cause == "unknown" else grave
        return following(finding, roots[0]) if finding.id in symptoms and roots else finding

    return tuple(told(finding) for finding in findings)


def following(finding: Finding, root: Finding, why: str = "") -> Finding:
    """Told as a trace of another finding; `why` says by what it is known to be one."""
    return msgspec.structs.replace(
        finding,
        severity=Severity.NOTE,
        confidence=0.0,
        verified=False,
        cause=root.cause,
        category=root.category,
        likely=f"follows from {root.id} {root.name}{why}",
        do=f"mend {root.id} first, then check again",
    )


def one_a_cause(findings: tuple[Finding, ...], symptoms: frozenset[str]) -> tuple[Finding, ...]:
    """Where several checks see the same cause, the most decisive tells of it and the others are its traces."""
    decisive: dict[str, Finding] = {}
    for finding in order(findings, symptoms):
        if finding.cause != "unknown":
            decisive.setdefault(finding.cause, finding)

    def told(finding: Finding) -> Finding:
        first = decisive.get(finding.cause, finding)
        if first.id == finding.id or finding.severity is Severity.NOTE:
            return finding
        return msgspec.structs.replace(
            finding, severity=Severity.NOTE, likely=f"the same cause as {first.id} {first.name}"
        )

    return tuple(told(finding) for finding in findings)


def order(findings: tuple[Finding, ...], symptoms: frozenset[str]) -> tuple[Finding, ...]:
    def decisive(finding: Finding) -> tuple[object, ...]:
        return (
            -finding.severity.weight,
            finding.id in symptoms,
            -finding.confidence,
            finding.where.step or 0,
            finding.id,
        )

    return tuple(sorted(findings, key=decisive))
