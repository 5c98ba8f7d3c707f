from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.answers_in_other_units import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.scoring import AnswersScored, NumbersMet, Wanted

SCORED = AnswersScored(
    step=12,
    site=Site(file="train.py", line=40),
    model="Net",
    times=5,
    answers=100,
    least=0,
    moved=0,
    elsewhere=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SCORED, **changes), CHECK.limits))


TAUGHT, ASKED = NumbersMet(count=96, mean=0.0, std=1.0, drift=1.0), NumbersMet(count=96, mean=30.0, std=12.0)
OTHERWISE = Wanted(trained_at=Site(file="train.py", line=20), trained=TAUGHT, scored=ASKED)


def wanted(fitting: int = 0, crowded: int = 0, **sides: dict[str, Any]) -> list[Evidence]:
    """With changes of what is `trained` and what is `scored`."""
    changed: dict[str, Any] = {name: replace(getattr(OTHERWISE, name), **changes) for name, changes in sides.items()}
    return found(wanted=replace(OTHERWISE, crowded=crowded, **changed), answers=0, fitting=fitting)


def test_answers_that_are_not_scaled_back_are_told() -> None:
    (evidence,) = wanted()

    assert evidence.saw == "`Net` learns to output 0 ± 1, but would have to output 30 ± 12 in the evaluation"
    assert (evidence.cause, evidence.where.line) == (None, 40)


def test_targets_that_each_batch_scales_are_told() -> None:
    (evidence,) = wanted(trained={"standard": True}, scored={"mean": 1.5, "std": 0.9})

    assert evidence.saw == (
        "the targets that `Net` learns have mean 0 and deviation 1 in every batch, but are 1.5 ± 0.9 in the evaluation"
    )
    assert (evidence.cause, evidence.where.line) == ("data-split-shift", 20)


@pytest.mark.parametrize(
    ("scored", "findings"),
    [
        ({"mean": 0.0, "std": 1.0}, 0),
        ({"mean": 0.0, "std": 4.0}, 1),
        ({"mean": 0.0, "std": 3.9}, 0),
        ({"mean": -4.0, "std": 1.0}, 1),
        ({"mean": 3.9, "std": 1.0}, 0),
        ({"mean": 0.0, "std": 1 / 30}, 1),
        ({"mean": 0.0, "std": 0.04}, 0),
        ({"mean": 30.0, "std": 0.0}, 0),
        ({"count": 24}, 1),
        ({"count": 23}, 0),
    ],
)
def test_each_side_of_how_far_apart(scored: dict[str, Any], findings: int) -> None:
    assert len(wanted(scored=scored)) == findings


@pytest.mark.parametrize(("drift", "fitting", "findings"), [(8.0, 0, 1), (8.1, 0, 0), (8.1, 1, 1)])
def test_numbers_that_training_takes_in_order_need_another_line_beside(
    drift: float, fitting: int, findings: int
) -> None:
    assert len(wanted(trained={"drift": drift}, fitting=fitting)) == findings


@pytest.mark.parametrize(("crowded", "findings"), [(2, 1), (3, 0)])
def test_each_side_of_crowded(crowded: int, findings: int) -> None:
    assert len(wanted(crowded=crowded)) == findings


@pytest.mark.parametrize(("mean", "std", "findings"), [(0.1, 1.0, 1), (0.09, 1.0, 0), (0.0, 1.11, 1), (0.0, 1.09, 0)])
def test_each_side_of_standard(mean: float, std: float, findings: int) -> None:
    assert len(wanted(trained={"standard": True}, scored={"mean": mean, "std": std})) == findings


def test_an_honest_score_is_fine() -> None:
    assert found() == []
