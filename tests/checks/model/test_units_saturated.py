from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.units_saturated import CHECK
from firstlight.records.declared import Activations
from firstlight.records.declared.model import UnitGroup
from firstlight.records.finding import Evidence


def group(**changes: Any) -> UnitGroup:
    usual = UnitGroup(name="relu", kind="ReLU", units=100, saturated=0.0, std=1.0)
    return replace(usual, **changes)


ILL = Activations(model="Net", groups=(group(saturated=0.8),))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "80% of the values of `relu` (ReLU) are at its flat ends" in evidence.saw
    assert "at most 50%" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "data-scale"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"groups": (group(saturated=0.51),)}, 1),
        ({"groups": (group(saturated=0.5),)}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
