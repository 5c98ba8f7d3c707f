from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.weights_symmetric import CHECK
from firstlight.records.declared import Weights
from firstlight.records.declared.model import WeightGroup
from firstlight.records.finding import Evidence


def group(**changes: Any) -> WeightGroup:
    usual = WeightGroup(name="lower", shape=(32, 8), std=0.1, nearest="He's", ratio=1.0, equal_rows=False, last=False)
    return replace(usual, **changes)


ILL = Weights(model="Net", groups=(group(equal_rows=True),), pretrained=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "all 32 rows of `lower` are equal" in evidence.saw
    assert "rows that differ" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-init"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"groups": (group(),)}, 0),
        ({"groups": (group(equal_rows=True, last=True),)}, 0),
        ({"groups": (group(ratio=10.1),)}, 1),
        ({"groups": (group(ratio=9.9),)}, 0),
        ({"groups": (group(ratio=10.1),), "pretrained": True}, 0),
        ({"groups": (group(ratio=10.1, last=True),)}, 0),
        ({"watched": True}, 0),
        ({"groups": (group(ratio=10.1),), "watched": True}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_branch_that_starts_shut_is_a_note() -> None:
    shut = group(equal_rows=True, std=0.0)

    assert found(groups=(shut, group(), group()))[0].severity == "note"
    assert found(groups=(shut, group()))[0].severity is None
