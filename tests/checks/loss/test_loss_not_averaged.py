from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_not_averaged import CHECK
from firstlight.records.declared import LossScaling
from firstlight.records.finding import Evidence

ILL = LossScaling(loss="cross_entropy", once=10.0, repeated=40.0, times=4, batch_statistics=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "4 times the same examples: the loss goes from 10 to 40" in evidence.saw
    assert "10 again" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "loss-scale"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"repeated": 10.0}, 0),
        ({"repeated": 38.1}, 1),
        ({"repeated": 37.9}, 0),
        ({"repeated": 42.1}, 0),
        ({"batch_statistics": True}, 0),
        ({"once": 0.0, "repeated": 0.0}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
