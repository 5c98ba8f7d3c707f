from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.features_damaged import CHECK
from firstlight.records.declared import FeaturesMade
from firstlight.records.finding import Evidence

ILL = FeaturesMade(
    rows_in=200,
    rows_out=200,
    columns=("day", "week"),
    nonfinite=("week",),
    constant=(),
    worst_share=0.035,
    repeatable=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "1 columns with missing or infinite values (week), up to 3.5% of a column" in evidence.saw
    assert "finite values" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "data-nonfinite"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"nonfinite": ()}, 0),
        ({"nonfinite": (), "rows_out": 99}, 1),
        ({"nonfinite": (), "rows_out": 100}, 0),
        ({"nonfinite": (), "constant": ("day",)}, 1),
        ({"nonfinite": (), "repeatable": False}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
