from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.shapes_broadcast import CHECK
from firstlight.records.declared import ShapeTrace
from firstlight.records.declared.model import Stretch
from firstlight.records.finding import Evidence


def stretch(**changes: Any) -> Stretch:
    usual = Stretch(operation="mul", left=(16, 1), right=(16,), result=(16, 16), module="Net", over_batch=True)
    return replace(usual, **changes)


ILL = ShapeTrace(model="Net", calls=(), calls_in_all=0, never_called=(), called_again=(), stretches=(stretch(),))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "`mul` of (16, 1) and (16,) gives (16, 16)" in evidence.saw
    assert "two tensors of the same shape" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "loss-broadcast"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"stretches": ()}, 0),
        ({"stretches": (stretch(over_batch=False),)}, 0),
        ({"stretches": (stretch(), stretch(module="other"))}, 2),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
