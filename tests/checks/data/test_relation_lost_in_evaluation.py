from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.relation_lost_in_evaluation import CHECK
from firstlight.records.held_out import Transfer
from firstlight.records.places import Site
from firstlight.records.relations import Relations

NAN = float("nan")
SEEN = Transfer(
    trained=400,
    evaluated=400,
    here=0.5,
    there=0.5,
    across=0.0,
    apart=0.1,
    relabelled=0.1,
    rescaled=0.1,
    site=Site(file="train.py", line=30),
)


def seen(**changes: Any) -> Relations:
    return related(transfer=replace(SEEN, **changes))


def test_tells_what_a_plain_fit_gets_on_either_side() -> None:
    (evidence,) = found(CHECK, seen())

    assert evidence.saw == (
        "a simple model fitted to 400 training examples predicts labels with a correlation of 0.50 on other training "
        "examples and 0.00 on evaluated ones; fitted to evaluated ones it reaches 0.50 there; the inputs of both sides "
        "have the same distribution"
    )
    assert evidence.wanted == "at least 0.20 for evaluated examples too"
    assert (evidence.where.line, evidence.where.rank, evidence.cause) == (30, 1, "data-split-shift")


@pytest.mark.parametrize(
    ("changes", "told", "cause"),
    [
        ({"relabelled": 0.5}, "the classes renumbered", "data-label-range"),
        ({"rescaled": 0.5}, "each side's inputs on its own scale", "data-split-shift"),
        ({"columns": ((1, 4),)}, "the codes in column 4 of `input 1` go with other", "data-split-shift"),
        ({"columns": ((0, 0), (0, 2), (0, 5))}, "the codes in columns 0, 2 and 5 of `input 0`", "data-split-shift"),
    ],
)
def test_names_what_explains_it(changes: dict[str, Any], told: str, cause: str) -> None:
    (evidence,) = found(CHECK, seen(apart=0.9, **changes))

    assert told in evidence.saw
    assert evidence.cause == cause


@pytest.mark.parametrize(
    ("changes", "ill"),
    [
        ({"here": 0.3, "across": -0.2}, True),
        ({"here": 0.29, "across": -0.2}, False),
        ({"there": 0.3, "across": -0.2}, True),
        ({"there": 0.29, "across": -0.2}, False),
        ({"here": NAN}, False),
        ({"trained": 144}, True),
        ({"trained": 143}, False),
        ({"evaluated": 144}, True),
        ({"evaluated": 143}, False),
        ({"across": 0.1}, True),
        ({"across": 0.11}, False),
        ({"across": NAN}, False),
        ({"apart": 0.2}, True),
        ({"apart": 0.21}, False),
        ({"apart": NAN}, False),
        ({"apart": 0.9, "relabelled": 0.4}, True),
        ({"apart": 0.9, "relabelled": 0.39}, False),
        ({"apart": 0.9, "rescaled": 0.4}, True),
        ({"apart": 0.9, "rescaled": 0.39}, False),
    ],
)
def test_both_sides_of_each_limit(changes: dict[str, Any], ill: bool) -> None:
    assert bool(found(CHECK, seen(**changes))) is ill


def test_the_interval_of_luck_is_added_to_what_is_left() -> None:
    assert found(CHECK, seen(across=0.15, evaluated=1600))
    assert not found(CHECK, seen(across=0.1, evaluated=144))


def test_where_no_evaluated_answers_were_seen_nothing_is_said() -> None:
    assert not found(CHECK, related())
