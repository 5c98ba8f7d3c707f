from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.step_climbs import CHECK
from firstlight.records.facts import Motion
from firstlight.records.finding import Evidence
from firstlight.records.inner import Moved, Movement
from firstlight.records.places import Site

SITE = Site(file="train.py", line=9)
TENSOR = Moved(name="0.weight", shape=(8, 4), dtype="float32", gradient=0.1, weight=0.2, update=2e-4, still=0.0)


def look(along: float, step: int = 1) -> Movement:
    tensors = (replace(TENSOR, along=along),)
    return Movement(step=step, optimizer=0, name="SGD", built=SITE, settings={"lr": 0.1}, tensors=tensors)


CLIMBS = Motion(
    rank=1, optimizer="SGD", site=SITE, settings={}, looks=(look(0.8), look(0.6, 9)), fell=-0.5, answered=True
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CLIMBS, **changes), CHECK.limits))


def test_tells_which_way_the_steps_go_and_what_becomes_of_the_loss() -> None:
    (evidence,) = found()
    assert evidence.saw == (
        "at 2 of 2 looks the steps of SGD go up the gradient (cosine 0.70), and the loss has risen by 50% of its "
        "first value"
    )
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 9, 1)


def test_an_objective_without_answers_may_be_climbed() -> None:
    assert found(answered=False) == []


@pytest.mark.parametrize("changes", [{"fell": None}, {"looks": ()}, {"looks": (look(0.8),)}])
def test_what_is_not_known_is_not_judged(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(("fell", "times"), [(-0.11, 1), (-0.1, 0), (0.4, 0)])
def test_each_side_of_the_rise(fell: float, times: int) -> None:
    assert len(found(fell=fell)) == times


@pytest.mark.parametrize(("along", "times"), [(0.11, 1), (0.1, 0), (-0.9, 0)])
def test_each_side_of_the_direction(along: float, times: int) -> None:
    assert len(found(looks=(look(0.8), look(along, 9)))) == times
