from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_prefers_wrong import CHECK
from firstlight.records.declared import LossSense
from firstlight.records.finding import Evidence

ILL = LossSense(loss="mse_loss", ideal=0.0, random=-2.0, contrary=-4.0, permuted=-2.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "right predictions score 0 and contrary ones -4" in evidence.saw
    assert "the lower loss for the right predictions" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "loss-sign"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"random": 2.0, "contrary": 4.0, "permuted": 2.0}, 0),
        ({"ideal": 1.0, "random": 1.0, "contrary": 1.0, "permuted": 1.0}, 1),
        ({"ideal": 1.0, "random": 1.0, "contrary": 1.0, "permuted": 1.1}, 0),
        ({"contrary": float("nan")}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
