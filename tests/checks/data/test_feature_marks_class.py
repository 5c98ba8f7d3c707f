from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.feature_marks_class import CHECK
from firstlight.records.relations import Marked, Relations


def marking(acting: bool = False, **changes: Any) -> Relations:
    usual: dict[str, Any] = {"column": 9, "of": 11, "count": 1, "kind": 1, "rows": 500, "exceptions": 0, "covered": 0.9}
    seen = {"foreseen": 170.4, "rest": 20.0, "clear": 0.8, "clear_without": 0.7}
    return related(marked=Marked(**{**usual, **seen, **changes}), examples=1000, acting=acting)


def test_a_mark_of_one_class_is_told_beside_what_the_others_expect() -> None:
    (evidence,) = found(CHECK, marking())

    assert evidence.saw == (
        "feature 9 of 11 has another value than usual in 500 examples, which are 90% of class 1: 0 of them are of "
        "another class, where the other features expect 170"
    )
    assert found(CHECK, marking(acting=True)) == []
    assert found(CHECK, marking(other_classes=1)) == []


@pytest.mark.parametrize(
    ("name", "told", "fine"),
    [
        ("covered", 0.5, 0.49),
        ("foreseen", 20.0, 19.9),
        ("exceptions", 8, 9),
        ("rest", 6.0, 5.9),
        ("clear", 0.6, 0.59),
        ("clear_without", 0.85, 0.86),
    ],
)
def test_each_side_of_what_a_mark_has_to_show(name: str, told: float, fine: float) -> None:
    assert len(found(CHECK, marking(False, **{name: told}))) == 1
    assert found(CHECK, marking(False, **{name: fine})) == []
    assert found(CHECK, marking(False, **{name: float("nan")})) == []
