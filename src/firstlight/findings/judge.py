"""Runs checks over facts and stamps what they find with their identity."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from firstlight.checks.declare import Check
from firstlight.facts.sources import ABSENCE_IS_CLEAN, SOURCES
from firstlight.records.facts import CheckCrash
from firstlight.records.finding import Evidence, Finding, Severity, Witness
from firstlight.records.places import Where
from firstlight.records.report import CheckOutcome, Status


@dataclass(frozen=True, slots=True)
class Judgement:
    findings: tuple[Finding, ...]
    outcomes: tuple[CheckOutcome, ...]


def judge(
    checks: Sequence[Check], facts: Iterable[Any], trained: bool, absent: Mapping[type, str | None] | None = None
) -> Judgement:
    """`trained` says whether training was observed at all: without it, finding nothing odd means nothing.

    `absent` says why there is no fact of a kind, where more is known than its source says; None says that there was
    nothing to be seen, which is an answer.
    """
    reasons: dict[type, str | None] = {kind: source.absent for kind, source in SOURCES.items()}
    reasons.update(absent or {})
    by_kind: dict[type, list[Any]] = {}
    for fact in facts:
        by_kind.setdefault(type(fact), []).append(fact)
    findings: list[Finding] = []
    outcomes: list[CheckOutcome] = []
    blind = cache(lambda kind: any(map(_holds_nan, by_kind.get(kind, []))))
    for check in sorted(checks, key=lambda one: one.needs is CheckCrash):  # crashes are judged when all others are done
        found, outcome = _run(check, by_kind.get(check.needs, []), trained, reasons[check.needs])
        if outcome.status is Status.CLEAN and blind(check.needs):
            outcome = _outcome(check, Status.SKIPPED, outcome.seconds, "a number it needs is not a number")
        findings += found
        outcomes.append(outcome)
        if outcome.status is Status.CRASHED:
            by_kind.setdefault(CheckCrash, []).append(CheckCrash(check=check.name, error=outcome.reason or ""))
    return Judgement(tuple(findings), tuple(sorted(outcomes, key=lambda outcome: outcome.id)))


def _run(check: Check, facts: list[Any], trained: bool, absent: str | None) -> tuple[list[Finding], CheckOutcome]:
    answers = check.needs is CheckCrash or (trained and check.needs in ABSENCE_IS_CLEAN) or absent is None
    if not facts and not answers:
        return [], _outcome(check, Status.SKIPPED, 0.0, absent)
    begun = time.perf_counter()
    try:
        found = [stamp(check, evidence) for fact in facts for evidence in check.find(fact, check.limits)]
    except Exception as error:  # noqa: BLE001  # one broken check must not take the others with it; FL001 tells of it
        return [], _outcome(check, Status.CRASHED, time.perf_counter() - begun, f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - begun
    return found, _outcome(check, Status.ILL if found else Status.CLEAN, seconds, None)


def _holds_nan(value: Any) -> bool:
    """NaN passes no limit and breaks none: a check that is quiet about it has judged nothing."""
    if isinstance(value, float):
        return value != value  # quicker than math.isnan, and long curves are looked through
    if isinstance(value, msgspec.Struct):
        return any(_holds_nan(getattr(value, field)) for field in value.__struct_fields__)
    return isinstance(value, tuple) and any(map(_holds_nan, value))


def _outcome(check: Check, status: Status, seconds: float, reason: str | None) -> CheckOutcome:
    return CheckOutcome(id=check.id, name=check.name, status=status, seconds=round(seconds, 6), reason=reason)


def stamp(check: Check, evidence: Evidence) -> Finding:
    cause = evidence.cause or check.causes[0]
    severity = check.imposed or evidence.severity or check.severity
    confidence = check.confidence if evidence.confidence is None else evidence.confidence
    witness = Witness(
        id=check.id,
        kind=SOURCES[check.needs].bears,
        where=_place(evidence.where),
        says=evidence.saw,
        weight=round(confidence * COUNTED[severity], 4),
    )
    return Finding(
        id=check.id,
        name=check.name,
        cause=cause,
        category=cause.partition("-")[0],
        severity=severity,
        confidence=confidence,
        verified=False,
        where=evidence.where,
        summary=check.summary,
        saw=evidence.saw,
        wanted=evidence.wanted,
        likely=evidence.likely or check.likely,
        do=evidence.do or check.fix,
        evidence=evidence.numbers,
        edits=evidence.edits,
        later=evidence.later,
        witnesses=(witness,),
    )


COUNTED = {Severity.ERROR: 1.0, Severity.WARNING: 0.8, Severity.NOTE: 0.05}
"""How much a finding's own confidence counts: a warning is meant to be looked at, a note is not a claim."""


def _place(where: Where) -> str:
    return where.place if where.file else where.module or ""
