"""One incident per cause, with everything that bears witness to it; symptoms belong to what explains them."""

import msgspec

from firstlight.records.finding import Finding, Severity, Witness

UNKNOWN = "unknown"
SOURCE = "source"


def gather(findings: tuple[Finding, ...], symptoms: frozenset[str]) -> tuple[Finding, ...]:
    explained = explain_symptoms(merge(findings), symptoms)
    return order(one_a_cause(explained, symptoms), symptoms)


def merge(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Sightings of one cause at one place become one finding that shows the first and counts the rest."""
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

    A symptom that names a cause of its own yields to errors; one that names none, to whatever does. So does what came
    about in training, like units that died on the way: it yields to errors that the program began with.
    """
    ordered = order(findings, symptoms)
    named = [finding for finding in ordered if finding.cause != UNKNOWN and finding.severity is not Severity.NOTE]
    first = [finding for finding in named if finding.id not in symptoms and not finding.later]
    grave = [finding for finding in first if finding.severity is Severity.ERROR]

    def told(finding: Finding) -> Finding:
        roots = named if finding.cause == UNKNOWN else grave
        follows = finding.id in symptoms or finding.later
        return following(finding, roots[0]) if follows and roots else finding

    return tuple(told(finding) for finding in findings)


def following(finding: Finding, root: Finding, why: str = "") -> Finding:
    """A trace of another finding, with no weight of its own; `why` says by what it is known to be one."""
    traces = tuple(msgspec.structs.replace(witness, weight=0.0) for witness in finding.witnesses)
    return msgspec.structs.replace(
        finding,
        severity=Severity.NOTE,
        confidence=0.0,
        verified=False,
        proof=None,
        cause=root.cause,
        category=root.category,
        likely=f"follows from {root.id} {root.name}{why}",
        do=f"fix {root.id} first, then check again",
        witnesses=traces,
    )


def one_a_cause(findings: tuple[Finding, ...], symptoms: frozenset[str]) -> tuple[Finding, ...]:
    """The most decisive finding of a cause tells of it; the others are its witnesses."""
    incidents: dict[str, list[Finding]] = {}
    alone: list[Finding] = []
    for finding in order(findings, symptoms):
        if finding.cause == UNKNOWN:
            alone.append(finding)
        else:
            incidents.setdefault(finding.cause, []).append(finding)
    return (*alone, *(incident for group in incidents.values() for incident in _incidents(group)))


def _incidents(group: list[Finding]) -> list[Finding]:
    """Notes claim nothing: where nothing graver stands, each is told by itself.

    What was seen at work is shown before what was read in the source. The same check at another place is another place
    to mend, and is told as such.
    """
    if group[0].severity is Severity.NOTE:
        return group
    loud = [finding for finding in group if finding.severity is not Severity.NOTE]
    first = next((finding for finding in loud if finding.witnesses[0].kind != SOURCE), loud[0])
    rest = [finding for finding in group if finding is not first]
    apart = [other for other in rest if other.id == first.id and other.severity is first.severity]
    witnesses: tuple[Witness, ...] = first.witnesses
    for other in rest:
        if other not in apart:
            witnesses += tuple(one for one in other.witnesses if one not in witnesses)
    return [msgspec.structs.replace(first, witnesses=witnesses), *apart]


def order(findings: tuple[Finding, ...], symptoms: frozenset[str]) -> tuple[Finding, ...]:
    def decisive(finding: Finding) -> tuple[object, ...]:
        return (
            -finding.severity.weight,
            finding.id in symptoms or finding.later,
            -finding.confidence,
            finding.where.step or 0,
            finding.id,
        )

    return tuple(sorted(findings, key=decisive))
