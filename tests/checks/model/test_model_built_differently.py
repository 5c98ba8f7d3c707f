from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.model_built_differently import CHECK
from firstlight.records.declared import Built
from firstlight.records.finding import Evidence

ILL = Built(model="Net", seconds=0.1, tensors=4, elements=100, trainable=100, same_again=False, shared=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "two builds of `Net` differ" in evidence.saw
    assert "the same names and shapes in every build" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "train-checkpoint"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"same_again": True}, 0),
        ({"same_again": True, "shared": True}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
