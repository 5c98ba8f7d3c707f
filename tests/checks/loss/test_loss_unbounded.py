from collections.abc import Sequence

import pytest

from firstlight.checks.loss.loss_unbounded import CHECK
from firstlight.records.facts import LossCurve
from firstlight.records.finding import Evidence
from firstlight.records.places import Site


def found(values: Sequence[float], optimizers: int = 1) -> list[Evidence]:
    curve = LossCurve(
        site=Site(file="train.py", line=33), optimizers=optimizers, values=tuple(values), weight_norms=(), lr=0.1
    )
    return list(CHECK.find(curve, CHECK.limits))


def falling(last: float, steps: int = 40, half: float = -1000.0) -> list[float]:
    return [2.0, *[half] * (steps - 2), last]


def test_tells_the_way_down() -> None:
    (evidence,) = found(falling(-1e6))

    assert evidence.saw == "the loss went from 2 through -1000 to -1e+06 in 40 steps"
    assert evidence.where.line == 33


def test_an_adversary_drifts() -> None:
    assert found(falling(-1e6), optimizers=2) == []


@pytest.mark.parametrize(("last", "times"), [(-1.9e4, 0), (-2.1e4, 1)])
def test_each_side_of_times(last: float, times: int) -> None:
    assert len(found(falling(last))) == times


@pytest.mark.parametrize(("steps", "times"), [(29, 0), (30, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(falling(-1e6, steps))) == times


@pytest.mark.parametrize(("half", "times"), [(-6e5, 0), (-4e5, 1)])
def test_each_side_of_growing(half: float, times: int) -> None:
    assert len(found(falling(-1e6, half=half))) == times
