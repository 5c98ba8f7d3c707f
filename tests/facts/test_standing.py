"""Whether a program stands still, as its copies tell it."""

import math

import pytest
from msgspec.structs import replace

from firstlight.facts.standing import settled_sign, stands_still
from firstlight.records.contrast import BY_HEART_COPIES, Contrast, Level, Pair
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, SEEN, LearningSign

SIGN = LearningSign(
    status=NOT_CERTIFIED, reason="only 9 steps could be measured", site=None, steps=9, fresh=9, step=9, rank=0
)


def level(first: float, last: float) -> Level:
    return Level(first=first, last=last, noise=0.0, finite=True)


def contrast(base: float = 2.28, blind: float = 2.3, by_heart: float = 2.0, steps: int = 150) -> Contrast:
    """A program that begins at 2.3, beside the copy that cannot know whose answer is whose and those on one batch."""
    ends = {"permuted-targets": blind, **dict.fromkeys(BY_HEART_COPIES, by_heart)}
    pairs = tuple(
        Pair(name=name, steps=steps, base=level(2.3, base), other=level(2.3, last)) for name, last in ends.items()
    )
    return Contrast(pairs=pairs, classes=10, loss="cross_entropy", steps=steps, supervised=True, by_loader=True, rank=0)


def test_what_neither_learns_nor_can_learn_shows_no_sign() -> None:
    found = settled_sign(SIGN, contrast())

    assert found.status == NO_SIGN
    assert (found.first, found.last, found.without_inputs, found.steps) == (2.3, 2.28, 2.3, 150)


@pytest.mark.parametrize(
    "made",
    [
        contrast(base=2.0),
        contrast(blind=2.5),
        contrast(by_heart=1.3),
        contrast(steps=99),
        replace(contrast(), supervised=False),
        replace(contrast(), by_loader=False),
        replace(contrast(), compares_rows=True),
        replace(contrast(), pairs=contrast().pairs[:-1]),
        None,
    ],
    ids=[
        "it has learnt",
        "the blind copy does worse",
        "it learns one batch",
        "no fair trial",
        "a loss that need not fall",
        "nobody knows its batches",
        "rows compared with rows",
        "higher rates not tried",
        "no copies",
    ],
)
def test_else_the_sign_stands(made: Contrast | None) -> None:
    assert settled_sign(SIGN, made) == SIGN


def test_what_is_certified_does_not_stand_still_whatever_copies_do() -> None:
    certified = replace(SIGN, status=CERTIFIED)

    assert settled_sign(certified, contrast()) == certified
    assert not stands_still(certified, contrast())
    assert stands_still(SIGN, contrast(by_heart=1.0))


@pytest.mark.parametrize(
    ("blind", "below", "steps", "status"),
    [
        (2.5, 0.2, 150, NOT_CERTIFIED),
        (2.5, 0.21, 150, NO_SIGN),
        (2.3, 0.0, 150, NO_SIGN),
        (2.5, 0.2, 99, NO_SIGN),
        (float("nan"), 0.0, 150, NO_SIGN),
    ],
)
def test_what_stays_below_the_blind_copy_has_learnt_something(
    blind: float, below: float, steps: int, status: str
) -> None:
    made = contrast(blind=blind, steps=steps)
    made = replace(made, pairs=tuple(replace(pair, below=below) for pair in made.pairs))

    assert settled_sign(replace(SIGN, status=NO_SIGN), made).status == status
    assert settled_sign(replace(SIGN, status=NO_SIGN), replace(made, compares_rows=True)).status == NO_SIGN


ENDED = replace(
    SIGN, reason="hardly", steps=64, first=4.085, last=4.078, gap_first=0.0, gap_last=0.0006, without_inputs=4.0786
)


def test_a_whole_run_that_ends_where_it_began_shows_no_sign() -> None:
    made = replace(contrast(), supervised=False, answered=True, by_loader=False)

    assert settled_sign(ENDED, made, finished=True).status == NO_SIGN
    assert settled_sign(ENDED, made).status == NOT_CERTIFIED


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": 63},
        {"first": 4.12},
        {"gap_last": 0.041},
        {"gap_last": math.nan},
        {"last": math.nan},
        {"first": None},
        {"own_answers": True},
        {"status": CERTIFIED},
    ],
    ids=str,
)
def test_unless_it_went_somewhere_or_cannot_be_judged(changes: dict[str, object]) -> None:
    made = replace(contrast(), supervised=False, answered=True, by_loader=False)
    sign = replace(ENDED, **changes)

    assert settled_sign(sign, made, finished=True) == sign
    assert settled_sign(ENDED, replace(made, answered=False), finished=True) == ENDED


def beside_by_heart(other: float, below: float = 0.1, steps: int = 150) -> Contrast:
    pair = Pair(name="mismatched", steps=steps, base=level(2.3, 1.0), other=level(2.3, other), below=below)
    return replace(contrast(), pairs=(pair,))


@pytest.mark.parametrize(
    ("made", "status"),
    [
        (beside_by_heart(1.2), CERTIFIED),
        (beside_by_heart(1.1), NOT_CERTIFIED),
        (beside_by_heart(1.2, below=0.21), NOT_CERTIFIED),
        (beside_by_heart(1.2, steps=99), NOT_CERTIFIED),
        (replace(beside_by_heart(1.2), compares_rows=True), NOT_CERTIFIED),
        (replace(beside_by_heart(1.2), supervised=False), NOT_CERTIFIED),
        (replace(beside_by_heart(1.2), pairs=()), NOT_CERTIFIED),
        (beside_by_heart(math.nan), NOT_CERTIFIED),
    ],
)
def test_what_is_learnt_faster_than_by_heart_on_examples_known_before_is_learnt(made: Contrast, status: str) -> None:
    assert settled_sign(replace(SIGN, reason=SEEN), made).status == status


def test_only_what_was_measured_on_known_examples_is_settled_so() -> None:
    assert settled_sign(SIGN, beside_by_heart(1.2)).status == NOT_CERTIFIED
