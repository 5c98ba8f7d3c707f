import pytest
from msgspec.structs import replace

from firstlight.checks.data.folds_share_weights import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.lived_on import HeldBack
from firstlight.records.places import Site

FOLDS = HeldBack(
    step=300,
    model=0,
    name="Net",
    site=Site(file="train.py", line=45),
    made=Site(file="train.py", line=20),
    stages=4,
    earlier=1,
    later=2,
    began=1,
    ended=90,
    trained=(180, 180),
    held=(60, 60),
    before=60,
    after=60,
    now=(0, 0),
)


def found(seen: HeldBack) -> list[Evidence]:
    return list(CHECK.find(seen, CHECK.limits))


def test_tells_where_the_model_was_made_and_when_it_was_trained_on_them() -> None:
    (evidence,) = found(FOLDS)

    assert evidence.saw == (
        "60 of the 60 examples that stage 2 evaluates at train.py:45 were trained on by the same weights in stage 1, "
        "steps 1–90, which held other examples back"
    )
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)
    assert evidence.likely == "the `Net` made here goes on being trained from fold to fold"


def test_where_nobody_saw_it_made_the_evaluation_is_shown() -> None:
    (evidence,) = found(replace(FOLDS, made=None, rescaled=True, shortened=True))

    assert (evidence.where.line, evidence.likely) == (45, None)
    assert "60 examples (each column brought to the same scale) that stage 2 evaluates were" in evidence.saw
    assert "steps 1–90 of the shortened run, which" in evidence.saw


@pytest.mark.parametrize(("known", "told"), [(11, False), (12, True)])
def test_each_side_of_share(known: int, told: bool) -> None:
    assert bool(found(replace(FOLDS, before=known))) is told
    assert bool(found(replace(FOLDS, after=known))) is told


@pytest.mark.parametrize(("now", "told"), [((6, 6), True), ((6, 7), False)])
def test_each_side_of_held_back(now: tuple[int, int], told: bool) -> None:
    assert bool(found(replace(FOLDS, now=now))) is told


@pytest.mark.parametrize(("after", "told"), [(5, False), (6, True)])
def test_each_side_of_by_chance(after: int, told: bool) -> None:
    few = replace(FOLDS, held=(6, 6), before=6, after=after)

    assert few.by_chance == (6 + after) / 2
    assert bool(found(few)) is told


def test_examples_that_are_trained_on_later_alone_are_fine() -> None:
    assert not found(replace(FOLDS, before=0))
    assert not found(replace(FOLDS, after=0))
