from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.modes_disagree import CHECK
from firstlight.records.declared import ModeGap
from firstlight.records.finding import Evidence

ILL = ModeGap(
    steps=150,
    train_loss=0.4,
    eval_loss=1.5,
    without_dropout=0.4,
    cosine=0.9,
    batch_norms=1,
    strongest_dropout=0.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "one batch has a loss of 0.4 in train mode and 1.5 in eval mode" in evidence.saw
    assert "about the same" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-norm"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"eval_loss": 0.81}, 1),
        ({"eval_loss": 0.79}, 0),
        ({"cosine": 0.97}, 1),
        ({"cosine": 0.99}, 0),
        ({"steps": 59}, 0),
        ({"steps": 60}, 1),
        ({"batch_norms": 0}, 0),
        ({"batch_norms": 0, "strongest_dropout": 0.9}, 1),
        ({"batch_norms": 0, "strongest_dropout": 0.89}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
