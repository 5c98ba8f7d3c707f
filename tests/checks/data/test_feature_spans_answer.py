from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.feature_spans_answer import CHECK
from firstlight.records.held_out import Spans
from firstlight.records.relations import Relations

NAN = float("nan")


def spanning(**changes: Any) -> Relations:
    usual = {
        "rows": 2000,
        "of": 6,
        "count": 1,
        "column": 5,
        "first": -2,
        "last": 0,
        "taps": 3,
        "exact": 0.96,
        "earlier": 0.01,
        "alone": 0.02,
    }
    return related(spans=Spans(**{**usual, **changes}))


def test_tells_which_rows_it_is_made_of() -> None:
    (evidence,) = found(CHECK, spanning())

    assert evidence.saw == (
        "feature 5 is a mean over the targets of 3 rows, from 2 before it up to its own, at 96% of 2,000 rows up to "
        "rounding; of earlier targets alone at 1%"
    )
    assert evidence.where.line == 20


def test_rows_after_it() -> None:
    (evidence,) = found(CHECK, spanning(first=-1, last=1))
    (others,) = found(CHECK, spanning(first=0, last=2))

    assert "from 1 before it to 1 after it" in evidence.saw
    assert "from its own to 2 after it" in others.saw


def test_no_such_feature_is_fine() -> None:
    assert found(CHECK, related()) == []
    assert found(CHECK, spanning(count=0)) == []


def test_a_model_that_acts_is_not_judged() -> None:
    assert found(CHECK, related(acting=True, spans=spanning().seen.spans)) == []


@pytest.mark.parametrize(
    ("name", "told", "fine"),
    [("rows", 183, 182), ("exact", 0.85, 0.84), ("earlier", 0.5, 0.51), ("alone", 0.5, 0.51), ("count", 3, 4)],
)
def test_each_side_of_a_limit(name: str, told: float, fine: float) -> None:
    assert len(found(CHECK, spanning(**{name: told}))) == 1
    assert found(CHECK, spanning(**{name: fine})) == []
    if isinstance(told, float):
        assert found(CHECK, spanning(**{name: NAN})) == []
