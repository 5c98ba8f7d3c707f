from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.encoding_knows_answers import CHECK
from firstlight.records.held_out import Encoded
from firstlight.records.relations import Relations

NAN = float("nan")


def encoding(**changes: Any) -> Relations:
    usual = {"column": 2, "of": 4, "rows": 3000, "evaluated": 600, "groups": 900, "within": 0.6, "exact": 1.0}
    return related(encoded=Encoded(**{**usual, **changes}))


def test_tells_whose_answers_went_into_it() -> None:
    (evidence,) = found(CHECK, encoding())

    assert evidence.saw == (
        "feature 2 of 4 is the mean target of 900 groups of rows, up to rounding for 100% of 3,000 rows, but only "
        "if the targets of the 600 evaluated ones are included"
    )
    assert evidence.where.line == 20


def test_no_such_feature_is_fine() -> None:
    assert found(CHECK, related()) == []


def test_a_model_that_acts_is_not_judged() -> None:
    assert found(CHECK, related(acting=True, encoded=encoding().seen.encoded)) == []


@pytest.mark.parametrize(
    ("name", "told", "fine"), [("groups", 16, 15), ("evaluated", 16, 15), ("exact", 0.95, 0.94), ("within", 0.1, 0.09)]
)
def test_each_side_of_a_limit(name: str, told: float, fine: float) -> None:
    assert len(found(CHECK, encoding(**{name: told}))) == 1
    assert found(CHECK, encoding(**{name: fine})) == []
    if isinstance(told, float):
        assert found(CHECK, encoding(**{name: NAN})) == []
