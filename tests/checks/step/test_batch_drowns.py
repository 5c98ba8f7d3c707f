from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.batch_drowns import CHECK
from firstlight.records.declared import NoiseScale
from firstlight.records.finding import Evidence

ILL = NoiseScale(batch=2, batches=32, steps=20, first=4000.0, later=1500.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == "batches are of size 2, and the gradient's noise scale is 1,500 examples"
    assert evidence.wanted == "a noise scale of at most 30 batches"


def test_noise_alone_is_told_by_how_much_was_looked_at() -> None:
    (evidence,) = found(first=float("inf"), later=float("inf"))

    assert "is more than 64 examples" in evidence.saw


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"later": 61.0}, 1),
        ({"later": 60.0}, 0),
        ({"first": 60.0}, 0),
        ({"first": None}, 0),
        ({"later": None}, 0),
    ],
)
def test_both_moments_must_be_beyond_the_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
