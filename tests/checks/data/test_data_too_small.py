from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.data_too_small import CHECK
from firstlight.records.declared import Loaded
from firstlight.records.finding import Evidence

ILL = Loaded(split="train", examples=12, batches=3, whole=True, declared=12, batch_size=4, dropped=0, parameters=100)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "12 examples in 3 batches" in evidence.saw
    assert "at least 30 examples" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "data-too-little"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"examples": 29}, 1),
        ({"examples": 30}, 0),
        ({"whole": False}, 0),
        ({"split": "val", "examples": 19}, 1),
        ({"split": "val", "examples": 20}, 0),
        ({"examples": 79, "dropped": 21}, 1),
        ({"examples": 80, "dropped": 20}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
