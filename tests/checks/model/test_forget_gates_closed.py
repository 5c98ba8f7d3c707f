from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.forget_gates_closed import CHECK
from firstlight.records.declared import Gates
from firstlight.records.finding import Evidence

ILL = Gates(
    name="read layer 0", kind="LSTM", forget_bias=-4.0, forget_open=0.02, hidden_norm=1.0, through_time=0.1, steps=12
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "the forget gate is 0.02 open on average, with a bias of -4" in evidence.saw
    assert "+1 is a good start" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-init"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"forget_bias": 0.0, "forget_open": 0.09}, 1),
        ({"forget_bias": 0.0, "forget_open": 0.11}, 0),
        ({"forget_bias": -2.1, "forget_open": 0.5}, 1),
        ({"forget_bias": -1.9, "forget_open": 0.5}, 0),
        ({"forget_bias": None, "forget_open": None}, 0),
        ({"forget_open": None, "through_time": 0.9e-9}, 1),
        ({"forget_open": None, "through_time": 1.1e-9}, 0),
        ({"forget_open": None, "through_time": 0.9e-9, "steps": 31}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
