from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.classes_change_places import CHECK
from firstlight.records.places import Site
from firstlight.records.relations import Relations
from firstlight.records.stored import ClassesTurned

NAN = float("nan")


def turning(**changes: Any) -> Relations:
    usual = {
        "name": "`backwards`",
        "site": Site(file="data.py", line=14),
        "share": 0.5,
        "kept": 0.97,
        "pair": (0, 1),
        "examples": 120,
        "taken": 0.8,
        "carried": 0.4,
        "apart": 1.02,
    }
    return related(turned=ClassesTurned(**{**usual, **changes}))


def test_tells_which_class_looks_like_which() -> None:
    (evidence,) = found(CHECK, turning())

    assert evidence.saw == (
        "`backwards` changes 50% of the examples and keeps their class; a simple fit, right about 97% of them as they "
        "were, takes 80% more of class 0 for class 1 than before, and these are as close to it as its own examples "
        "(distance 1.02, where 1 is usual)"
    )
    assert (evidence.where.file, evidence.where.line) == ("data.py", 14)


def test_examples_that_are_not_changed_are_fine() -> None:
    assert found(CHECK, related()) == []


@pytest.mark.parametrize(
    ("name", "told", "fine"),
    [
        ("kept", 0.7, 0.69),
        ("taken", 0.5, 0.49),
        ("apart", 1.35, 1.36),
        ("carried", 0.9, 0.91),
        ("examples", 12, 11),
    ],
)
def test_each_side_of_a_limit(name: str, told: float, fine: float) -> None:
    assert len(found(CHECK, turning(**{name: told}))) == 1
    assert found(CHECK, turning(**{name: fine})) == []
    if isinstance(told, float):
        assert found(CHECK, turning(**{name: NAN})) == []
