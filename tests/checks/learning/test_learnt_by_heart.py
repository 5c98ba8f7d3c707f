from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.learnt_by_heart import CHECK
from firstlight.records.contrast import Contrast, Level, Pair

LIMITS = CHECK.limits


def level(last: float, noise: float = 0.0, finite: bool = True) -> Level:
    return Level(first=2.0, last=last, noise=noise, finite=finite)


BLIND = Pair(name="permuted-targets", steps=150, base=level(1.0), other=level(2.0))
PAIR = Pair(name="mismatched", steps=150, base=level(1.0), other=level(1.0))
SEEN = Contrast(
    pairs=(BLIND, PAIR), classes=10, loss="cross_entropy", steps=150, supervised=True, by_loader=True, rank=0
)


def said(**changed: Any) -> list[str]:
    pair = replace(PAIR, **changed)
    return [evidence.saw for evidence in CHECK.find(replace(SEEN, pairs=(BLIND, pair)), LIMITS)]


def test_what_mismatched_pairs_do_as_well_is_told_with_both_numbers() -> None:
    (evidence,) = CHECK.find(SEEN, LIMITS)

    assert "from 2 to 1" in evidence.saw
    assert evidence.numbers == {"as_is": 1.0, "mismatched": 1.0, "first": 2.0}


@pytest.mark.parametrize(
    ("ill", "fine"),
    [
        ({"steps": 100}, {"steps": 99}),
        ({"base": level(1.89), "other": level(1.89)}, {"base": level(1.91), "other": level(1.91)}),
        ({"other": level(1.24)}, {"other": level(1.26)}),
        ({"paired": True}, {"paired": False}),
        ({}, {"other": level(1.0, finite=False)}),
    ],
    ids=["steps", "gained", "by heart", "paired", "finite"],
)
def test_each_limit_has_two_sides(ill: dict[str, Any], fine: dict[str, Any]) -> None:
    assert said(**ill)
    assert not said(**fine)


@pytest.mark.parametrize(
    "changed",
    [
        lambda seen: replace(seen, pairs=(BLIND,)),
        lambda seen: replace(seen, pairs=(PAIR,)),
        lambda seen: replace(seen, certified=True),
        lambda seen: replace(seen, compares_rows=True),
        lambda seen: replace(seen, supervised=False),
        lambda seen: replace(seen, accumulated=2.0),
        lambda seen: replace(seen, examples=31),
    ],
    ids=["not asked", "no blind copy", "learns", "rows against rows", "need not fall", "hardly begun", "a handful"],
)
def test_it_is_quiet_where_the_question_does_not_arise(changed: Callable[[Contrast], Contrast]) -> None:
    assert not list(CHECK.find(changed(SEEN), LIMITS))


def test_the_fewest_examples_and_examples_that_were_not_told_apart_are_told_of() -> None:
    assert list(CHECK.find(replace(SEEN, examples=32), LIMITS))
    assert list(CHECK.find(replace(SEEN, examples=None), LIMITS))
