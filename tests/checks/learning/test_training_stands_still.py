from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.training_stands_still import CHECK
from firstlight.records.declared import MiniTraining
from firstlight.records.finding import Evidence


def curve(first: float, last: float) -> tuple[float, ...]:
    return (first,) * 20 + (last,) * 20


ILL = MiniTraining(losses=curve(2.3, 2.3), floor=0.0, lr=1e-6)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "40 steps take the loss from 2.3 to 2.3" in evidence.saw
    assert "a drop of at least 2%" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "hp-lr-low"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"losses": curve(2.3, 2.26)}, 1),
        ({"losses": curve(2.3, 2.25)}, 0),
        ({"losses": curve(2.3, 2.3)[1:]}, 0),
        ({"losses": curve(2.3, 2.3), "floor": 2.29}, 0),
        ({"losses": curve(2.3, float("nan"))}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_loss_that_rises_beyond_its_noise_is_driven_away() -> None:
    assert found(losses=curve(2.3, 9.0))[0].cause == "hp-lr-high"
    assert found(losses=(1.0, 5.0) * 10 + (1.1, 5.1) * 10)[0].cause is None
