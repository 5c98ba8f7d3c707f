from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.ranks.ranks_part import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import RankTrack

BASE = RankTrack(step=10, world=2, looks=3, first=0.0, apart=0.01, looks_apart=2, name="0.bias", wrapped=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_names_the_weight_that_differs_most() -> None:
    (evidence,) = found()

    assert evidence.saw.startswith("`0.bias` differs between 2 ranks by 1.0e-02 of its norm")
    assert evidence.where.module == "0.bias"


def test_it_is_an_error_where_the_same_weights_were_promised() -> None:
    assert found()[0].severity is None
    assert found(wrapped=True)[0].severity is Severity.ERROR


@pytest.mark.parametrize(("apart", "times"), [(0.9e-5, 0), (1.1e-5, 1)])
def test_each_side_of_apart(apart: float, times: int) -> None:
    assert len(found(apart=apart)) == times


@pytest.mark.parametrize(("first", "times"), [(0.9e-5, 1), (1.1e-5, 0)])
def test_ranks_that_began_apart_are_not_compared(first: float, times: int) -> None:
    assert len(found(first=first)) == times


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks_apart=looks)) == times
