"""Where everything known together points at a cause that no single check names, it becomes an incident of its own.

So the ranked causes and the verdict cannot disagree: a cause above the bar is a finding, and nothing is proven under a
clean verdict.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from firstlight.checks.declare import Check
from firstlight.checks.learning import cause_inferred
from firstlight.checks.run import later_part_crashes
from firstlight.checks.step import selection_runs_backwards, selection_without_effect
from firstlight.diagnosis.answer import Role, Suspect
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.facts.standing import stands_still
from firstlight.findings.gather import UNKNOWN, gather
from firstlight.findings.judge import judge
from firstlight.judge.assurance import sign_of
from firstlight.judge.evidence import Judged
from firstlight.judge.written import written
from firstlight.records.contrast import Contrast
from firstlight.records.finding import Severity
from firstlight.records.inferred import Inferred
from firstlight.records.places import Site
from firstlight.records.report import Status

EXPLAINED = frozenset(
    check.CHECK.id for check in (later_part_crashes, selection_runs_backwards, selection_without_effect)
)
"""A crash of a later part, and which weights are kept, say nothing of how the program learns: the rest decides whether
there is a cause to search for."""
RATE = "hp-"
"""Causes that stand where the optimizer is built; the others are told at the loss."""


def is_open(known: Judged) -> bool:
    """Something is wrong, and no finding says why."""
    loud = [one for one in known.findings if one.severity is not Severity.NOTE and one.id not in EXPLAINED]
    named = any(finding.cause != UNKNOWN for finding in loud)
    return not named and (bool(loud) or _stands_still(known.facts))


def concluded(known: Judged, suspects: tuple[Suspect, ...], checks: Iterable[Check]) -> Judged:
    """What is known, with the cause that all of it points at."""
    check = next((one for one in checks if one.id == cause_inferred.CHECK.id), None)
    fact = inferred(known, suspects)
    if check is None or fact is None:
        return known
    found = judge((check,), [fact], trained=True)
    symptoms = frozenset(one.id for one in checks if one.symptom)
    outcomes = tuple(found.outcomes[0] if one.id == check.id else one for one in known.outcomes)
    if found.outcomes[0].status is not Status.ILL:
        return replace(known, outcomes=outcomes)
    gathered = gather((*known.findings, *found.findings), symptoms)
    return replace(known, findings=written(gathered, known.facts), outcomes=outcomes)


def inferred(known: Judged, suspects: tuple[Suspect, ...]) -> Inferred | None:
    """The most probable bug, unless a finding names it already."""
    bugs = [one for one in suspects if one.role is not Role.NULL and one.cause != UNKNOWN]
    if not bugs or any(one.cause == bugs[0].cause and one.severity is not Severity.NOTE for one in known.findings):
        return None
    first = bugs[0]
    return Inferred(
        cause=first.cause,
        meaning=first.meaning,
        probability=first.probability,
        proven=_cure(first) if first.verified else None,
        supported_by=tuple(_words(slug, present) for slug, present in first.supported_by),
        site=_site(known.facts, first.cause),
        fix=first.fix,
        stands_still=_stands_still(known.facts),
    )


def _cure(suspect: Suspect) -> str | None:
    repairs = [KNOWLEDGE.experiment[slug].does for slug in suspect.because if slug in KNOWLEDGE.experiment]
    return repairs[0] if repairs else None


def _words(slug: str, present: bool) -> str:
    says = KNOWLEDGE.observation[slug].says
    return says if present else f"not seen: {says}"


def _site(facts: Iterable[Any], cause: str) -> Site | None:
    contrast = next((fact for fact in facts if isinstance(fact, Contrast)), None)
    if contrast is None:
        return None
    return contrast.lr_site if cause.startswith(RATE) else contrast.loss_site


def _stands_still(facts: Iterable[Any]) -> bool:
    known = tuple(facts)
    return stands_still(sign_of(known), next((fact for fact in known if isinstance(fact, Contrast)), None))
