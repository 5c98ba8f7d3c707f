"""The evidence behind a verdict, in numbers, from the facts that hold it."""

import math
from collections.abc import Iterable
from statistics import fmean
from typing import Any

import msgspec

from firstlight.checks.learning import returns_never_rise
from firstlight.records.assurance import Assurance, Beside, ByHeart, Learns, Rehearsed, Returns
from firstlight.records.contrast import BLIND, Contrast
from firstlight.records.dealings import Returning
from firstlight.records.facts import LossCurve
from firstlight.records.flows import Guessed
from firstlight.records.learning import CERTIFIED, LearningSign
from firstlight.records.rehearsal import Rehearsal
from firstlight.records.relations import Relations, Skills

RISEN = 2 * returns_never_rise.CHECK.limits.rise
"""Standard errors by which returns have certainly risen, though the run was not over."""
LEVEL_STEPS = 8
"""The last losses that are averaged."""


def assurance_of(facts: Iterable[Any]) -> Assurance:
    known = tuple(facts)
    contrast = next((fact for fact in known if isinstance(fact, Contrast)), None)
    return Assurance(
        learns=_learns(sign_of(known), contrast, known),
        by_heart=_by_heart(contrast),
        beside=next((_beside(one.seen.skills) for one in known if isinstance(one, Relations) and one.scored), None),
        returns=next((_returns(fact) for fact in known if isinstance(fact, Returning)), None),
        rehearsal=next((_rehearsed(fact) for fact in known if isinstance(fact, Rehearsal)), None),
    )


def sign_of(facts: Iterable[Any]) -> LearningSign | None:
    """What the program's losses show of its learning, on the first rank; None where none was measured."""
    return next((fact for fact in facts if isinstance(fact, LearningSign)), None)


def _learns(sign: LearningSign | None, contrast: Contrast | None, facts: tuple[Any, ...]) -> Learns | None:
    """The course of the loss beside that of the copy which cannot know whose answer is whose, where there is one."""
    if sign is None:
        return None
    here = [fact for fact in facts if isinstance(fact, LossCurve | Guessed) and fact.site == sign.site]
    told = Learns(
        status=sign.status,
        reason=sign.reason,
        first=sign.first,
        last=sign.last,
        without_inputs=sign.without_inputs,
        guess=next((fact.guess for fact in here if isinstance(fact, Guessed)), None),
        steps=sign.steps,
    )
    blind = contrast.of(BLIND) if contrast is not None and not contrast.compares_rows else None
    if blind is None or not blind.other.finite or not blind.base.finite:
        return told
    if sign.status == CERTIFIED and sign.step > blind.steps:  # it went on when its copies had ended
        return _whole_course(told, next((fact.values for fact in here if isinstance(fact, LossCurve)), ()))
    return msgspec.structs.replace(
        told, first=blind.base.first, last=blind.base.last, without_inputs=blind.other.last, steps=blind.steps
    )


def _whole_course(told: Learns, values: tuple[float, ...]) -> Learns:
    """The certificate is measured until it is certain; the loss goes on."""
    few = values[-LEVEL_STEPS:]
    if not few or not all(map(math.isfinite, few)):
        return told
    return msgspec.structs.replace(told, last=fmean(few), steps=len(values))


def headline(assurance: Assurance, experimented: bool) -> str:
    """What a clean verdict says first: the evidence for it, or what it lacks."""
    lacking = "" if experimented else "; no experiments were run on copies of the program"
    learns = assurance.learns
    if learns is None:
        return f"nothing found, but whether it learns was not tested{lacking}"
    if learns.status == CERTIFIED and _above_a_guess(learns):
        return f"nothing found, and it begins to learn: a constant prediction would still do better{lacking}"
    if learns.status == CERTIFIED:
        return f"nothing found, and it learns{lacking}"
    if assurance.returns is not None and assurance.returns.risen:
        return f"nothing found, and its episodes return more than at the start{lacking}"
    why = f" ({learns.reason})" if learns.reason else ""
    return f"nothing found, but that it learns could not be certified{why}{lacking}"


def _above_a_guess(learns: Learns) -> bool:
    return learns.guess is not None and learns.last is not None and learns.last > learns.guess


def _rehearsed(seen: Rehearsal) -> Rehearsed:
    return Rehearsed(
        reached_end=seen.reached_end,
        stopped_at=None if seen.reached_end or seen.site is None else str(seen.site),
        seconds=round(seen.seconds, 1),
        epochs=seen.epochs,
        evaluations=seen.evaluations,
        checkpoints=seen.checkpoints,
        why=_why(seen),
        by_shortening=seen.crashed and not seen.own,
        full_seconds=seen.full_seconds,
        written=seen.written,
        full_bytes=seen.full_bytes,
        peak_bytes=seen.peak_bytes,
        curves=seen.curves,
    )


def _why(seen: Rehearsal) -> str:
    if seen.reached_end:
        return ""
    if seen.asks:
        return "it asks for input there, and a copy has nobody to answer it"
    return seen.message if seen.crashed else "the time ran out"


def _beside(skills: Skills) -> Beside:
    return Beside(own=skills.own, plain=skills.plain, rows=skills.rows, step=skills.step)


def _returns(seen: Returning) -> Returns:
    return Returns(
        first=seen.start, last=seen.end, episodes=seen.episodes, to_end=seen.to_end, risen=seen.rise >= RISEN
    )


def _by_heart(contrast: Contrast | None) -> ByHeart | None:
    """Without a loader, and with a loss of its own, a copy cannot be given the same answers again."""
    again = contrast is not None and (contrast.by_loader or contrast.supervised)
    pair = contrast.of("one-batch") if contrast is not None and again else None
    if pair is None or not pair.other.finite:
        return None
    return ByHeart(first=pair.other.first, last=pair.other.last, steps=pair.steps)
