from typing import Any

from msgspec.structs import replace

from firstlight.checks.step.resume_forgets import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.restored import Resumption

RESUMED = Resumption(
    step=85,
    site=Site(file="train.py", line=15),
    optimizer="Adam",
    holds_optimizer=True,
    model_loaded=True,
    optimizer_loaded=False,
    steps=5,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(RESUMED, **changes), CHECK.limits))


def test_tells_what_is_left_out() -> None:
    (evidence,) = found()

    assert evidence.saw.startswith("of the checkpoint, the weights are loaded and the state of `Adam` left out")
    assert evidence.where.line == 15


def test_the_other_way_round() -> None:
    (evidence,) = found(model_loaded=False, optimizer_loaded=True)

    assert "the state of `Adam` is loaded and the weights left out" in evidence.saw


def test_all_or_nothing_is_fine() -> None:
    assert found(optimizer_loaded=True) == []
    assert found(model_loaded=False) == []


def test_a_schedule_that_begins_anew_is_told_once_the_rest_goes_on() -> None:
    (evidence,) = found(optimizer_loaded=True, begun_anew=("schedule",))

    assert "model and optimizer are loaded and the state of the schedule left out" in evidence.saw
    assert found(model_loaded=False, begun_anew=("schedule",)) == []


def test_another_stage_begins_anew() -> None:
    assert found(holds_optimizer=False) == []
