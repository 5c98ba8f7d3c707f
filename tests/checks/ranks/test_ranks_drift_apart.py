from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.ranks.ranks_drift_apart import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.ranks import Ranks

DRIFTING = Ranks(
    world=2,
    site=Site(file="train.py", line=20),
    loader_site=Site(file="train.py", line=18),
    optimizer_site=Site(file="train.py", line=12),
    wrapped=True,
    compared=20,
    same_batch=0,
    examples=300,
    common=0.0,
    apart=(1e-3,) * 10,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(DRIFTING, **changes), CHECK.limits))


def test_tells_how_far() -> None:
    (evidence,) = found()

    assert "differs between 2 ranks at each of 10 steps, by 1.0e-03" in evidence.saw
    assert evidence.where.line == 12


@pytest.mark.parametrize(("apart", "times"), [(1e-5, 0), (1.1e-5, 1)])
def test_each_side_of_apart(apart: float, times: int) -> None:
    assert len(found(apart=(apart,) * 10)) == times


@pytest.mark.parametrize(("begin", "times"), [(0.051, 0), (0.05, 1)])
def test_each_side_of_begin(begin: float, times: int) -> None:
    assert len(found(apart=(begin, *(1e-3,) * 9))) == times


@pytest.mark.parametrize(("steps", "times"), [(7, 0), (8, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(apart=(1e-3,) * steps)) == times


def test_weights_that_come_together_again_are_fine() -> None:
    assert found(apart=(1e-3, 2e-3, 3e-3, 0.0, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3)) == []
