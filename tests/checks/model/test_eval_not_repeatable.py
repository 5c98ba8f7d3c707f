from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.eval_not_repeatable import CHECK
from firstlight.records.declared import Repeat
from firstlight.records.finding import Evidence

ILL = Repeat(
    eval_difference=0.3, low_precision=False, losses=12, first_difference=2, difference=0.1, random_modules=("drop",)
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "two passes in eval mode differ by 0.3 of the outputs' spread, first at `drop`" in evidence.saw
    assert "at most 1e-05" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "train-mode"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"eval_difference": 1.1e-5}, 1),
        ({"eval_difference": 0.9e-5}, 0),
        ({"eval_difference": 1.1e-2, "low_precision": True}, 1),
        ({"eval_difference": 0.9e-2, "low_precision": True}, 0),
        ({"random_modules": ()}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_model_that_samples_on_purpose_is_a_note() -> None:
    (evidence,) = found(sampled=("randn_like",))

    assert evidence.severity == "note"
    assert "with `randn_like`" in (evidence.likely or "")
