from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.ranks.ranks_share_data import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.ranks import Ranks

SHARING = Ranks(
    world=2,
    site=Site(file="train.py", line=20),
    loader_site=Site(file="train.py", line=18),
    optimizer_site=Site(file="train.py", line=12),
    wrapped=True,
    compared=20,
    same_batch=0,
    examples=300,
    common=1.0,
    apart=(0.0,) * 10,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SHARING, **changes), CHECK.limits))


def test_tells_the_share_and_the_loader() -> None:
    (evidence,) = found()

    assert "100% of the examples in the first pass were trained on by all 2 ranks" in evidence.saw
    assert evidence.where.line == 18


def test_the_same_batches_are_told_first() -> None:
    (evidence,) = found(same_batch=20, common=0.0)

    assert "20 of 20 compared batches are the same" in evidence.saw


@pytest.mark.parametrize(("common", "times"), [(0.49, 0), (0.5, 1)])
def test_each_side_of_common(common: float, times: int) -> None:
    assert len(found(common=common)) == times


@pytest.mark.parametrize(("examples", "times"), [(31, 0), (32, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(examples=examples)) == times


@pytest.mark.parametrize(("same", "times"), [(17, 0), (18, 1)])
def test_each_side_of_same_batch(same: int, times: int) -> None:
    assert len(found(same_batch=same, common=0.0)) == times


@pytest.mark.parametrize(("compared", "times"), [(2, 0), (3, 1)])
def test_each_side_of_steps(compared: int, times: int) -> None:
    assert len(found(compared=compared)) == times


@pytest.mark.parametrize(("apart", "times"), [(0.06, 0), (0.05, 1)])
def test_parts_of_one_model_are_fed_alike(apart: float, times: int) -> None:
    assert len(found(wrapped=False, apart=(apart,) * 10)) == times
