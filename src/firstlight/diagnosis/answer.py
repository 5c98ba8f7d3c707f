"""The answer to "what is wrong": ranked causes, always with a likely one, a subtle one, and the null."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from firstlight.diagnosis.case import Case
from firstlight.diagnosis.engine import Belief, measured, nothing_wrong, weigh
from firstlight.diagnosis.knowledge.knowledge_base import UNKNOWN, KnowledgeBase
from firstlight.diagnosis.prior import NOTHING_WRONG

SETTINGS = "hp"
WITHHELD_ABOVE = 0.10
"""While a bug is this likely and not proven, tuning would only hide it."""
MOST = 5
TELLING_RATIO = 1.5
"""An observation is named when it is this much likelier, or rarer, under the cause than on healthy runs."""
CREDENCES: tuple[tuple[int, str], ...] = (
    (95, "almost certain"),
    (80, "highly likely"),
    (60, "likely"),
    (40, "about even"),
    (20, "unlikely"),
    (5, "highly unlikely"),
    (0, "remote"),
)
"""Least percentage and its words: what is almost certain is wrong once in twenty."""


class Role(StrEnum):
    LIKELY = "likely"
    SUBTLE = "subtle"
    NULL = "null"
    FURTHER = "further"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    cause: str
    category: str
    meaning: str
    role: Role
    probability: float
    credence: str
    verified: bool
    withheld: bool
    """Advice on settings waits until no bug is left that could explain the same."""
    because: tuple[str, ...]
    supported_by: tuple[tuple[str, bool], ...]
    """Observations that speak for it, and whether they were present."""
    opposed_by: tuple[tuple[str, bool], ...]
    doubted: tuple[str, ...]
    """Hints that make it less likely, in words."""
    falsifier: str
    fix: str


def answer(base: KnowledgeBase, case: Case, most: int = MOST) -> tuple[Suspect, ...]:
    """At least three, the most probable first; `most` can be exceeded to hold all three roles.

    The ways of being healthy are one hypothesis: it bears the name of the likeliest and the probability of all.
    """
    belief = weigh(base, case)
    roles = _roles(base, belief)
    chances = {slug: belief.probabilities[slug] for slug in belief.ranked if slug in roles or not _is_null(base, slug)}
    chances |= {slug: nothing_wrong(base, belief) for slug, role in roles.items() if role is Role.NULL}
    order = sorted(chances, key=lambda slug: -chances[slug])
    shown = order[:most] + [slug for slug in order[most:] if slug in roles]
    suspects = (_suspect(base, case, belief, slug) for slug in shown)
    return tuple(
        replace(
            suspect,
            role=roles.get(suspect.cause, Role.FURTHER),
            probability=chances[suspect.cause],
            credence=credence(chances[suspect.cause]),
        )
        for suspect in suspects
    )


def chance(base: KnowledgeBase, belief: Belief, suspect: Suspect) -> float:
    """Of a suspect, under another belief than the one it was named by."""
    return nothing_wrong(base, belief) if suspect.role is Role.NULL else belief.probabilities[suspect.cause]


def credence(probability: float) -> str:
    percent = round(100.0 * probability)
    return next(words for least, words in CREDENCES if percent >= least)


def _roles(base: KnowledgeBase, belief: Belief) -> dict[str, Role]:
    bugs = [slug for slug in belief.ranked if base.cause[slug].category not in {NOTHING_WRONG, UNKNOWN}]
    likely = bugs[0]
    subtle = next((slug for slug in bugs if base.cause[slug].category != base.cause[likely].category), bugs[-1])
    null = next(slug for slug in belief.ranked if _is_null(base, slug))
    return {likely: Role.LIKELY, subtle: Role.SUBTLE, null: Role.NULL}


def _is_null(base: KnowledgeBase, slug: str) -> bool:
    return base.cause[slug].category == NOTHING_WRONG


def _bug_open(base: KnowledgeBase, belief: Belief) -> bool:
    return any(
        belief.probabilities[slug] > WITHHELD_ABOVE and slug not in belief.verified
        for slug in belief.ranked
        if base.cause[slug].category not in {SETTINGS, NOTHING_WRONG, UNKNOWN}
    )


def _suspect(base: KnowledgeBase, case: Case, belief: Belief, slug: str) -> Suspect:
    cause, advice = base.cause[slug], base.advice_for.get(slug)
    return Suspect(
        cause=slug,
        category=cause.category,
        meaning=cause.meaning,
        role=Role.FURTHER,
        probability=belief.probabilities[slug],
        credence=credence(belief.probabilities[slug]),
        verified=slug in belief.verified,
        withheld=cause.category == SETTINGS and _bug_open(base, belief),
        because=belief.because.get(slug, ()),
        supported_by=_speaking(base, case, slug, supports=True),
        opposed_by=_speaking(base, case, slug, supports=False),
        doubted=tuple(hint.because for hint in case.hints if hint.cause == slug and hint.ratio < 1),
        falsifier=advice.falsifier if advice else "",
        fix=advice.fix if advice else "",
    )


def _speaking(base: KnowledgeBase, case: Case, slug: str, *, supports: bool) -> tuple[tuple[str, bool], ...]:
    place = base.slugs.index(slug)
    found: list[tuple[str, bool]] = []
    for name, present in measured(base, case)[0].items():
        weight = base.table[name].of(present)[place]
        if (weight if supports else -weight) >= math.log(TELLING_RATIO):
            found.append((name, present))
    return tuple(found)
