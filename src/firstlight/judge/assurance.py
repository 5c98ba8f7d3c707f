"""The evidence behind a verdict, in numbers, from the facts that hold it."""

from collections.abc import Iterable
from typing import Any

import msgspec

from firstlight.facts.standing import BLIND
from firstlight.records.assurance import Assurance, ByHeart, Learns, Rehearsed
from firstlight.records.contrast import Contrast
from firstlight.records.learning import CERTIFIED, LearningSign
from firstlight.records.rehearsal import Rehearsal


def assurance_of(facts: Iterable[Any]) -> Assurance:
    known = tuple(facts)
    contrast = next((fact for fact in known if isinstance(fact, Contrast)), None)
    return Assurance(
        learns=_learns(sign_of(known), contrast),
        by_heart=_by_heart(contrast),
        rehearsal=next((_rehearsed(fact) for fact in known if isinstance(fact, Rehearsal)), None),
    )


def sign_of(facts: Iterable[Any]) -> LearningSign | None:
    """What the program's losses show of its learning, on the first rank; None where none was measured."""
    return next((fact for fact in facts if isinstance(fact, LearningSign)), None)


def _learns(sign: LearningSign | None, contrast: Contrast | None) -> Learns | None:
    """The course of the loss beside that of the copy which cannot know whose answer is whose, where there is one."""
    if sign is None:
        return None
    told = Learns(
        status=sign.status,
        reason=sign.reason,
        first=sign.first,
        last=sign.last,
        without_inputs=sign.without_inputs,
        steps=sign.steps,
    )
    blind = contrast.of(BLIND) if contrast is not None and not contrast.compares_rows else None
    if blind is None or not blind.other.finite or not blind.base.finite:
        return told
    if sign.status == CERTIFIED and sign.step > blind.steps:  # it began to learn when its copies had ended
        return msgspec.structs.replace(told, steps=sign.step)
    return msgspec.structs.replace(
        told, first=blind.base.first, last=blind.base.last, without_inputs=blind.other.last, steps=blind.steps
    )


def headline(assurance: Assurance, experimented: bool) -> str:
    """What a clean verdict says first: the evidence for it, or what it lacks."""
    lacking = "" if experimented else "; this profile makes no experiments on copies of the program"
    learns = assurance.learns
    if learns is None:
        return f"nothing found, and it was not asked whether it learns{lacking}"
    if learns.status == CERTIFIED:
        return f"nothing found, and it learns{lacking}"
    why = f" ({learns.reason})" if learns.reason else ""
    return f"nothing found; that it learns could not be certified{why}{lacking}"


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
    return seen.message if seen.crashed else "its time was over"


def _by_heart(contrast: Contrast | None) -> ByHeart | None:
    pair = contrast.of("one-batch") if contrast is not None else None
    if pair is None or not pair.other.finite:
        return None
    return ByHeart(first=pair.other.first, last=pair.other.last, steps=pair.steps)
