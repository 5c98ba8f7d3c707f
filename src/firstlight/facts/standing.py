"""Whether a program stands still, where its own losses alone cannot tell: asked of its copies. Pure."""

import msgspec

from firstlight.facts.contrast import ALIKE, BY_HEART, LEARNT, lost
from firstlight.records.contrast import BLIND, BY_HEART_COPIES, MISMATCHED, Contrast
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, SEEN, LearningSign

FAIR_STEPS = 100
"""Fewer say little about a slow start."""


def stands_still(sign: LearningSign | None, contrast: Contrast | None) -> bool:
    """It shows no sign of learning; or that could not be asked, and after a fair trial it is where the copy is that
    cannot know whose answer is whose."""
    if sign is not None and sign.status in (CERTIFIED, NO_SIGN):
        return sign.status == NO_SIGN
    blind = contrast.of(BLIND) if contrast is not None and contrast.supervised else None
    if blind is None or blind.steps < FAIR_STEPS or not lost(blind.base) < LEARNT:
        return False
    return blind.other.last - blind.base.last < ALIKE * abs(blind.base.first)


BELOW = "it does better than a copy whose answers belong to other inputs, and by too little to be certain"
RARELY = 0.2
"""Share of the late steps at which the copy is lower; by chance it is half of them."""


def _stays_below(contrast: Contrast, than: str = BLIND) -> bool:
    blind = contrast.of(than)
    if blind is None or not blind.paired or blind.steps < FAIR_STEPS or not blind.base.finite or not blind.other.finite:
        return False
    return blind.below <= RARELY and blind.other.last - blind.base.last > ALIKE * abs(blind.base.first)


LITTLE = 0.01
"""Share of the loss that is nothing, once the whole run is over."""
FEWEST_MEASURED = 64
"""Steps of a whole run on which that is said."""
TO_THE_END = "it ran to its end, and its loss is where it began, and as good with the answers of other examples"


def _ended_as_it_began(sign: LearningSign, contrast: Contrast | None) -> bool:
    """No more time would help: there is none in the program's own plan. Written so that no NaN passes."""
    if contrast is None or not contrast.meant_to_fall or sign.own_answers or sign.steps < FEWEST_MEASURED:
        return False
    if sign.first is None or sign.last is None or sign.gap_last is None:
        return False
    little = LITTLE * abs(sign.last)
    return abs(sign.first - sign.last) < little and abs(sign.gap_last) < little


def _beside_by_heart(sign: LearningSign, contrast: Contrast) -> LearningSign:
    """It went through its examples again and again. What it learnt is no mere learning by heart where the copy that
    can do nothing else, step by step on the same examples, is slower."""
    learnt = contrast.meant_to_fall and _stays_below(contrast, MISMATCHED)
    return msgspec.structs.replace(sign, status=CERTIFIED, reason="") if learnt else sign


def settled_sign(sign: LearningSign, contrast: Contrast | None, finished: bool = False) -> LearningSign:
    """No sign of learning, where it stands still and not even one batch is learnt by heart at any rate, or where the
    program `finished` as it began; else as it is.

    A slow program that is sound learns its one batch, at a higher rate if need be. And one that stays below the copy
    whose answers belong to other inputs, step by step, has learnt something that the certificate is too coarse to see.
    """
    if sign.reason == SEEN and contrast is not None and not contrast.compares_rows:
        return _beside_by_heart(sign, contrast)
    if finished and sign.status == NOT_CERTIFIED and _ended_as_it_began(sign, contrast):
        return msgspec.structs.replace(sign, status=NO_SIGN, reason=TO_THE_END)
    if sign.status == NO_SIGN and contrast is not None and not contrast.compares_rows and _stays_below(contrast):
        return msgspec.structs.replace(sign, status=NOT_CERTIFIED, reason=BELOW)
    if (
        sign.status == NO_SIGN
        or contrast is None
        or not contrast.by_loader
        or contrast.compares_rows
        or not stands_still(sign, contrast)
    ):
        return sign
    tried = [pair for name in BY_HEART_COPIES if (pair := contrast.of(name)) is not None and pair.steps >= FAIR_STEPS]
    blind = contrast.of(BLIND)
    if blind is None or len(tried) < len(BY_HEART_COPIES) or any(lost(pair.other) >= BY_HEART for pair in tried):
        return sign
    return msgspec.structs.replace(
        sign,
        status=NO_SIGN,
        reason="a copy whose answers belong to other inputs does as well, and no rate learns even one batch by heart",
        steps=blind.steps,
        first=blind.base.first,
        last=blind.base.last,
        without_inputs=blind.other.last,
    )
