from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.units_dead import CHECK
from firstlight.records.declared import Units
from firstlight.records.declared.model import UnitGroup
from firstlight.records.finding import Evidence


def group(**changes: Any) -> UnitGroup:
    usual = UnitGroup(
        name="relu", kind="ReLU", units=100, values_a_unit=32, dead=0, saturated=0.0, std=1.0, constant=False
    )
    return replace(usual, **changes)


ILL = Units(model="Net", groups=(group(dead=95),))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "95 of 100 units of `relu` are zero for every example" in evidence.saw
    assert "at most 90% dead" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-dead-units"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"groups": (group(dead=91),)}, 1),
        ({"groups": (group(dead=90),)}, 0),
        ({"groups": (group(dead=95, values_a_unit=31),)}, 0),
        ({"groups": (group(constant=True),)}, 1),
        ({"groups": ()}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
