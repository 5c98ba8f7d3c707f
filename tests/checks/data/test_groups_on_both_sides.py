from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.groups_on_both_sides import CHECK
from firstlight.records.held_out import Groups
from firstlight.records.relations import Relations

NAN = float("nan")


def grouping(**changes: Any) -> Relations:
    usual = {
        "examples": 800,
        "classes": 2,
        "groups": 90,
        "shared": 0.99,
        "largest": 0.03,
        "parted": 0.73,
        "within": 1.8,
        "between": 3.4,
        "agree": 1.0,
        "evaluated": 270,
        "known": 0.98,
        "by_rows": 0.96,
        "by_groups": 0.1,
    }
    return related(groups=Groups(**{**usual, **changes}))


def test_tells_what_single_examples_and_whole_groups_are_worth() -> None:
    (evidence,) = found(CHECK, grouping())

    assert evidence.saw == (
        "90 groups of close examples have one label each, and at least 98% of the 270 evaluated examples lie in one of "
        "them; a simple fit scores 96% on single examples left out, and 10% on whole groups left out"
    )
    assert evidence.where.line == 20


def test_groups_that_the_program_names_need_not_lie_apart() -> None:
    ways = {"shared": 0.0, "parted": 0.0, "within": 0.0, "between": 0.0}
    known = replace(grouping(**ways).seen.groups, named=True)
    (evidence,) = found(CHECK, related(groups_named=known))

    assert evidence.saw.startswith("90 groups of examples, named by a column of the program, have one label each, and")
    assert found(CHECK, grouping(**ways)) == []
    assert found(CHECK, related(groups_named=replace(known, known=0.79))) == []
    assert found(CHECK, related(groups_named=replace(known, by_groups=0.39))) == []


def test_examples_that_come_in_no_groups_are_fine() -> None:
    assert found(CHECK, related()) == []


def test_a_model_that_acts_is_not_judged() -> None:
    assert found(CHECK, related(acting=True, groups=grouping().seen.groups)) == []


@pytest.mark.parametrize(
    ("name", "told", "fine"),
    [
        ("groups", 12, 11),
        ("shared", 0.85, 0.84),
        ("largest", 0.2, 0.21),
        ("parted", 0.68, 0.67),
        ("between", 2.7, 2.6),
        ("agree", 0.75, 0.74),
        ("known", 0.8, 0.79),
        ("by_rows", 0.5, 0.49),
        ("by_groups", 0.38, 0.39),
    ],
)
def test_each_side_of_a_limit(name: str, told: float, fine: float) -> None:
    assert len(found(CHECK, grouping(**{name: told}))) == 1
    assert found(CHECK, grouping(**{name: fine})) == []
    if name != "groups":
        assert found(CHECK, grouping(**{name: NAN})) == []


@pytest.mark.parametrize(("classes", "times"), [(30, 1), (31, 0)])
def test_groups_that_are_the_classes(classes: int, times: int) -> None:
    assert len(found(CHECK, grouping(classes=classes))) == times


@pytest.mark.parametrize(
    ("name", "told", "fine"), [("by_rows", 0.88, 0.87), ("by_groups", 0.79, 0.81), ("lost", 3.0, 2.9)]
)
def test_twice_the_errors_where_inputs_tell_a_part_by_themselves(name: str, told: float, fine: float) -> None:
    seen = {"by_rows": 0.9, "by_groups": 0.75, "lost": 4.0}

    assert len(found(CHECK, grouping(**{**seen, name: told}))) == 1
    assert found(CHECK, grouping(**{**seen, name: fine})) == []
    assert found(CHECK, grouping(**{**seen, name: NAN})) == []


def test_few_errors_that_double_are_still_few() -> None:
    assert found(CHECK, grouping(by_rows=0.98, by_groups=0.89, lost=4.0)) == []
    assert len(found(CHECK, grouping(by_rows=0.98, by_groups=0.87, lost=4.0))) == 1
