from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.examples_not_learnable import CHECK
from firstlight.records.declared import Overfit
from firstlight.records.finding import Evidence

ILL = Overfit(
    examples=2,
    parameters=400,
    values=2,
    own=(1.1, 0.9),
    reference=(1.1, 0.9),
    reference_lr=0.003,
    floor=0.0,
    guess=0.69,
    double_activation_floor=0.55,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "2 steps on 2 examples take the loss from 1.1 to 0.9; Adam at 0.003 gets to 0.9" in evidence.saw
    assert "near 0, the least possible" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-capacity"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"own": (1.0, 0.11)}, 1),
        ({"own": (1.0, 0.1)}, 0),
        ({"own": (), "reference": (1.0, 0.1)}, 0),
        ({"own": (), "reference": (1.0, 0.11)}, 1),
        ({"parameters": 1}, 0),
        ({"own": (), "reference": ()}, 0),
        ({"own": (1.0, 0.59), "floor": 0.55}, 0),
        ({"own": (1.0, 0.89), "hurried": True}, 0),
        ({"own": (1.0, 0.91), "hurried": True}, 1),
        ({"own": (), "reference": (1.0, 0.89), "hurried": True}, 0),
        ({"own": (1.0, 0.69), "floor": None}, 0),
        ({"own": (1.0, 0.71), "floor": None}, 1),
        ({"own": (-1.0, -1.31), "floor": None}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_least_loss_that_is_not_known_is_not_told() -> None:
    assert found(own=(1.0, 0.71), floor=None)[0].wanted == "below 70% of the first loss"


@pytest.mark.parametrize(
    ("last", "cause"),
    [(1.33, "loss-sign"), (float("nan"), "loss-sign"), (0.56, "loss-double-activation"), (0.70, "loss-detached")],
)
def test_how_it_fails_tells_why(last: float, cause: str) -> None:
    assert found(own=(1.1, last), reference=(1.1, last))[0].cause == cause


@pytest.mark.parametrize(("last", "cause"), [(1.31, "hp-lr-low"), (1.33, "hp-lr-high")])
def test_what_adam_can_learn_is_the_optimizers_fault(last: float, cause: str) -> None:
    (evidence,) = found(own=(1.1, last), reference=(1.1, 0.01))

    assert evidence.cause == cause
    assert evidence.severity == "warning"
