from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.views_identical import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.pairs import PairsPulled
from firstlight.records.places import Site

NAN = float("nan")
SEEN = PairsPulled(
    step=60,
    rank=1,
    site=Site(file="train.py", line=20),
    looks=6,
    fixed=1.0,
    matching="in the same row of blocks 1 and 2 of 2",
    copies=1.0,
    same=1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_that_nothing_is_left_to_learn() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the two inputs of 100% of the pairs in the same row of blocks 1 and 2 of 2 have the same values, and so do "
        "their embeddings: nothing is left to learn from such a pair"
    )
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


def test_embeddings_that_differ_are_fine_unless_the_inputs_are_drawn() -> None:
    assert found(same=0.0) == []
    (evidence,) = found(same=0.0, drawn=True)

    assert evidence.saw.endswith("although the loader draws other values for the same row in another epoch")


@pytest.mark.parametrize(("looks", "times"), [(2, 0), (3, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks)) == times


@pytest.mark.parametrize(("copies", "times"), [(0.98, 0), (0.99, 1), (NAN, 0)])
def test_each_side_of_copies(copies: float, times: int) -> None:
    assert len(found(copies=copies)) == times


@pytest.mark.parametrize(("same", "times"), [(0.98, 0), (0.99, 1), (NAN, 0)])
def test_each_side_of_same(same: float, times: int) -> None:
    assert len(found(same=same)) == times
