from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.custom_gradient_wrong import CHECK
from firstlight.records.declared import GradientTried
from firstlight.records.finding import Evidence

ILL = GradientTried(name="Soft", relative_error=0.8, analytic=0.5, numeric=0.1, kinks=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "the backward of `Soft` gives 0.5 where central differences give 0.1: 80.0% apart" in evidence.saw
    assert "within 1%" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "loss-gradient"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"relative_error": 0.011}, 1),
        ({"relative_error": 0.009}, 0),
        ({"kinks": True}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_function_that_does_not_change_has_a_gradient_on_purpose() -> None:
    """A straight-through estimator."""
    assert found(numeric=0.0)[0].severity == "note"
