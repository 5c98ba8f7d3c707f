from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.gradient_altered import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import AlteredSeen

ABSOLUTE = AlteredSeen(
    by="a hook",
    name="a tensor",
    site=Site(file="train.py", line=20),
    times=24,
    step=23,
    flipped=0.5,
    turned=0.5,
    cosine=0.02,
    lost=0.0,
    uneven=0.0,
)
ROUNDED = replace(ABSOLUTE, by="the program", name="the weights", flipped=0.0, cosine=0.9, lost=0.6, uneven=0.2)


def found(altered: AlteredSeen = ABSOLUTE, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(altered, **changes), CHECK.limits))


def test_tells_who_turns_how_much_of_it() -> None:
    (evidence,) = found()

    assert "a hook changes the gradient of a tensor: 50% of it points the opposite way" in evidence.saw
    assert evidence.where.line == 20


def test_a_reversal_of_all_and_hardly_any_are_quiet() -> None:
    assert found(flipped=0.1)
    assert not found(flipped=0.09)
    assert found(flipped=0.9, turned=1.0)
    assert not found(flipped=0.91, turned=1.0)
    assert not found(flipped=1.0, turned=1.0, cosine=-1.0)


def test_few_elements_that_weigh_most_are_no_reversal() -> None:
    """The gradient of a cross-entropy is large and negative at the one right class; `abs` turns that alone."""
    assert found(flipped=0.98, turned=0.02, cosine=-0.96)
    assert found(flipped=0.98, turned=0.9, cosine=-0.96)
    assert not found(flipped=0.98, turned=0.91, cosine=-0.96)


def test_a_gradient_that_still_points_the_same_way_is_quiet() -> None:
    assert found(cosine=0.69)
    assert not found(cosine=0.7)


def test_once_or_twice_is_quiet() -> None:
    assert found(times=3)
    assert not found(times=2)


def test_elements_rounded_away_are_a_matter_of_precision() -> None:
    (evidence,) = found(ROUNDED)

    assert "60% of its elements become zero" in evidence.saw
    assert evidence.cause == "num-precision"
    assert found(ROUNDED, lost=0.3)
    assert not found(ROUNDED, lost=0.29)


def test_a_mask_leaves_the_others_as_they_are() -> None:
    assert found(ROUNDED, uneven=0.02)
    assert not found(ROUNDED, uneven=0.019)


ONE_SIDED = replace(ROUNDED, by="a hook", name="a tensor", lost=0.5, uneven=0.0, sided=1.0)


def test_elements_of_one_sign_that_are_lost_while_the_others_are_kept() -> None:
    (evidence,) = found(ONE_SIDED)

    assert "50% of its elements become zero, all of one sign, and those of the other sign are kept" in evidence.saw
    assert evidence.cause is None
    assert found(ONE_SIDED, sided=0.99)
    assert not found(ONE_SIDED, sided=0.98)
    assert found(ONE_SIDED, lost=0.3)
    assert not found(ONE_SIDED, lost=0.29)
