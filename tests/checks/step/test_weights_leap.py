import pytest

from firstlight.checks.step.weights_leap import CHECK
from firstlight.records.facts import Motion
from firstlight.records.finding import Evidence, Severity
from firstlight.records.inner import Moved, Movement
from firstlight.records.places import Site

SITE = Site(file="train.py", line=9)


def look(step: int, pace: float) -> Movement:
    moved = Moved(name="w", shape=(8, 4), dtype="float32", gradient=0.1, weight=0.1, update=0.1 * pace, still=0.0)
    return Movement(step=step, optimizer=0, name="Adam", built=SITE, settings={"lr": 1.5}, tensors=(moved,))


def found(*paces: float) -> list[Evidence]:
    looks = tuple(look(10 * at, pace) for at, pace in enumerate(paces))
    motion = Motion(rank=1, optimizer="Adam", site=SITE, settings={"lr": 1.5}, looks=looks, fell=0.0, answered=True)
    return list(CHECK.find(motion, CHECK.limits))


def test_tells_how_far_the_weights_move() -> None:
    (evidence,) = found(0.9, 0.8, 0.2)

    assert (
        evidence.saw
        == "a step of Adam at learning rate 1.5 changes a weight matrix by 0.8 of its size, in the median of 3 looks"
    )
    assert evidence.wanted == "at most 0.1"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 9, 1)


def test_it_is_a_suspicion_until_a_lower_rate_does_better() -> None:
    assert (CHECK.severity, CHECK.proven) == (Severity.NOTE, Severity.WARNING)


@pytest.mark.parametrize(("pace", "times"), [(0.09, 0), (0.11, 1), (float("nan"), 0)])
def test_each_side_of_pace(pace: float, times: int) -> None:
    assert len(found(pace, pace, pace)) == times


def test_layers_that_begin_at_zero_leap_only_at_first() -> None:
    assert found(1.0, 0.05, 0.02) == []


@pytest.mark.parametrize(("looks", "times"), [(2, 0), (3, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(*[0.3] * looks)) == times


@pytest.mark.parametrize(("pace", "confidence"), [(0.45, None), (0.55, 0.85)])
def test_each_side_of_grave(pace: float, confidence: float | None) -> None:
    assert found(pace, pace, pace)[0].confidence == confidence
