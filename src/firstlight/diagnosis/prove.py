"""Turns "likely" into "proven": the repair of a finding's cause was tried on a copy of the program, and it helped."""

import math
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from firstlight.checks.declare import Check
from firstlight.diagnosis.answer import SETTINGS
from firstlight.diagnosis.causes import category_of
from firstlight.diagnosis.knowledge.declare import Experiment
from firstlight.diagnosis.knowledge.repairs import GROUPS, repairs_of
from firstlight.diagnosis.proof import best, holds, is_of_data, proof_of, told
from firstlight.facts.contrast import LEAST_SHARE, improves
from firstlight.findings.gather import UNKNOWN, following
from firstlight.records.contrast import Contrast, Pair
from firstlight.records.finding import Finding, Severity, Witness

PROVEN = 0.99
HELPS = 0.3
"""What a repair adds that helps, where it proves nothing."""
UNIT = "data-scale"
"""Data in a raw unit and a rate that is too low for them are one and the same, and the unit was there first."""
STRONG = 0.8
"""Confidence of a suspicion that is nearly certain by itself."""
STEADY = 0.9
"""Share of the later steps at which the repaired copy must have the lower loss on the same batches."""
HELPS_MORE = ", whose repair helps more"
MADE_UP_FOR = ", which another setting may only compensate for"


def prove(
    findings: tuple[Finding, ...], contrast: Contrast | None, checks: Iterable[Check] = ()
) -> tuple[Finding, ...]:
    """Suspicions become findings or are dropped; other findings are proven or stay as they are."""
    if contrast is None:
        return findings
    known = {check.id: check for check in checks}
    tried = tuple(
        found
        for finding in findings
        for found in (
            _tested(finding, contrast, known[finding.id])
            if _is_suspicion(finding, known)
            else (_proven(finding, contrast, known.get(finding.id)),)
        )
    )
    doubted = frozenset(name for name, check in known.items() if check.proven is not None)
    on_trials = frozenset(name for name, check in known.items() if _on_trials(check))
    by_trial = on_trials | {name for name, check in known.items() if check.symptom}
    told = settings_wait(settle_rivals(_doubt(tried, doubted), by_trial), by_trial, on_trials)
    return _made_grave(told, known) if contrast.stands_still else told


def _made_grave(findings: tuple[Finding, ...], checks: Mapping[str, Check]) -> tuple[Finding, ...]:
    """Of a program that shows no sign of learning: what was proven to keep it from that is no mere warning."""
    imposed = frozenset(name for name, check in checks.items() if check.imposed is not None)
    return tuple(
        msgspec.structs.replace(finding, severity=Severity.ERROR)
        if finding.severity is Severity.WARNING
        and finding.id not in imposed
        and finding.verified
        and finding.proof is not None
        and finding.proof.guess is not None
        else finding
        for finding in findings
    )


def _doubt(findings: tuple[Finding, ...], doubted: frozenset[str]) -> tuple[Finding, ...]:
    """What is odd but was not mended by its repair, or merely helped, follows from what another repair did mend."""
    cured = [finding for finding in findings if finding.verified and finding.proof is not None]
    if not cured:
        return findings
    best = min(cured, key=_reached)
    return tuple(
        following(finding, best, HELPS_MORE)
        if not finding.verified
        and finding.severity is not Severity.NOTE
        and (finding.id in doubted or _helps_less(finding, best))
        else finding
        for finding in findings
    )


def _helps_less(finding: Finding, best: Finding) -> bool:
    """A warning whose repair was tried, proves nothing, and gets nowhere near the other one."""
    tried = finding.severity is Severity.WARNING and finding.proof is not None
    return tried and _reached(best) < (1 - LEAST_SHARE) * _reached(finding)


def settle_rivals(findings: tuple[Finding, ...], by_trial: frozenset[str]) -> tuple[Finding, ...]:
    """Where several repairs help, the one that helps clearly most tells the cause.

    Findings that rest on trials alone (`by_trial`) yield to it; to one that was also seen in the program itself, or in
    its data before the first step, they always yield. The others are not rivals: two bugs may both be there.
    """
    proven = [finding for finding in findings if finding.verified and finding.proof is not None]
    if len({finding.cause for finding in proven}) < 2:
        return findings
    certain = {finding.id for finding in proven if finding.id not in by_trial or is_of_data(finding.cause)}
    best = min(proven, key=lambda finding: (finding.id not in certain, _reached(finding)))
    reached = _reached(best)
    yields = {
        finding.id
        for finding in proven
        if finding.id in by_trial and finding.cause != best.cause
        if best.id in certain or reached < (1 - LEAST_SHARE) * _reached(finding)
    }
    worst = max((f.severity for f in proven if f.id in yields or f is best), key=lambda severity: severity.weight)
    return tuple(
        msgspec.structs.replace(finding, severity=worst)
        if finding is best
        else following(finding, best, HELPS_MORE)
        if finding.id in yields
        else finding
        for finding in findings
    )


def settings_wait(
    findings: tuple[Finding, ...], by_trial: frozenset[str], on_trials: frozenset[str]
) -> tuple[Finding, ...]:
    """A setting that copies do better with may only make up for an error that was seen at work, or for what a repair of
    something else proved: that comes first."""
    seen = [one for one in findings if one.severity is Severity.ERROR and one.id not in on_trials]
    mended = [one for one in findings if one.verified and one.proof is not None and category_of(one.cause) != SETTINGS]
    unit = [
        one for one in findings if one.cause == UNIT and one.severity is Severity.WARNING and one.id not in by_trial
    ]
    named = [one for one in seen if one.cause != UNKNOWN] or unit
    if not named and not mended:
        return findings
    first = max(named or mended, key=lambda one: one.confidence)
    return tuple(
        following(one, first, MADE_UP_FOR)
        if one.id in by_trial
        and one.severity is not Severity.NOTE
        and _is_other_setting(one, first)
        and (named or not one.verified)
        else one
        for one in findings
    )


def _is_other_setting(finding: Finding, first: Finding) -> bool:
    return category_of(finding.cause) == SETTINGS and finding.cause != first.cause


def _on_trials(check: Check) -> bool:
    return check.needs is Contrast or check.proven is not None


def _reached(finding: Finding) -> float:
    """The loss that its repair reached."""
    return finding.proof.reached if finding.proof is not None else math.inf


def _is_suspicion(finding: Finding, checks: Mapping[str, Check]) -> bool:
    check = checks.get(finding.id)
    return check is not None and check.proven is not None and finding.severity is Severity.NOTE


def worth_trying(findings: tuple[Finding, ...], checks: Iterable[Check]) -> tuple[str, ...]:
    """The experiments that would prove the findings, or settle the suspicions."""
    known = {check.id: check for check in checks}
    return tuple(
        dict.fromkeys(
            repair.slug
            for finding in findings
            for repair in repairs_for(
                known.get(finding.id), known[finding.id].causes if _is_suspicion(finding, known) else (finding.cause,)
            )
        )
    )


def repairs_for(check: Check | None, causes: tuple[str, ...]) -> tuple[Experiment, ...]:
    """Those of the causes, the mildest first; of a check that names its own, only those."""
    found = tuple(repair for cause in causes for repair in repairs_of(cause))
    if check is None or check.repairs is None:
        return tuple(repair for repair in found if GROUPS not in repair.needs)
    return tuple(repair for repair in found if repair.slug in check.repairs)


def _tested(finding: Finding, contrast: Contrast, check: Check) -> Iterator[Finding]:
    tried = [
        (repair, pair) for repair in repairs_for(check, check.causes) if (pair := contrast.of(repair.slug)) is not None
    ]
    if not tried:
        yield finding
        return
    cured = [(repair, pair) for repair, pair in tried if pair.cured or _confirms(finding, pair)]
    if cured:
        severity = check.imposed or check.proven or finding.severity
        yield msgspec.structs.replace(_told_of(finding, *best(cured), contrast), severity=severity)


def _confirms(finding: Finding, pair: Pair) -> bool:
    """Where the sighting itself is strong, a smaller but steady advantage will do."""
    steady = pair.other.finite and pair.below >= STEADY and pair.other.last < pair.base.last
    return finding.confidence >= STRONG and (steady or improves(pair))


def _proven(finding: Finding, contrast: Contrast, check: Check | None) -> Finding:
    if finding.severity is Severity.NOTE:
        return finding
    tried = [
        (repair, pair)
        for repair in repairs_for(check, (finding.cause,))
        if (pair := contrast.of(repair.slug)) is not None and improves(pair)
    ]
    return _told_of(finding, *best(tried), contrast) if tried else finding


def _told_of(finding: Finding, repair: Experiment, pair: Pair, contrast: Contrast) -> Finding:
    """A repair that works proves its cause only beside its controls; otherwise it helps, and that is all."""
    assert repair.repairs is not None
    proof = proof_of(repair, pair, contrast)
    verified = holds(proof, pair, repair.repairs)
    confidence = max(finding.confidence, PROVEN) if verified else finding.confidence
    sentence = told(proof, pair.base.finite)
    witness = Witness(id=finding.id, kind="experiment", where="", says=sentence, weight=PROVEN if verified else HELPS)
    return msgspec.structs.replace(
        finding,
        cause=repair.repairs,
        category=category_of(repair.repairs),
        verified=verified,
        confidence=confidence,
        likely=f"{'proven' if verified else 'helps'}: {sentence}",
        witnesses=(*finding.witnesses, witness),
        proof=proof,
    )
