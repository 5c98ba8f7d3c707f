from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.graph_grows import CHECK
from firstlight.records.facts import GraphSize
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

GROWING = GraphSize(
    rank=1,
    site=Site(file="train.py", line=21),
    nodes=(17, 23, 29, 35, 41, 47, 53),
    retained=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(GROWING, **changes), CHECK.limits))


def test_shows_the_first_sizes() -> None:
    (evidence,) = found()

    assert evidence.saw == "the graph behind the loss grows at every step: 17, 23, 29, 35, 41, 47 nodes"
    assert evidence.wanted == "a graph of about the same size at each step"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 21, 1)
    assert evidence.numbers == {"first": 17, "last": 47}


def test_growth_without_retain_graph_counts_too() -> None:
    assert len(found(retained=False)) == 1


@pytest.mark.parametrize(
    "nodes",
    [(17, 17, 17, 17, 17, 17), (17, 23, 29, 29, 35, 41), (17, 40, 20, 60, 30, 90), ()],
    ids=["constant", "pauses", "irregular", "unseen"],
)
def test_other_courses_are_fine(nodes: tuple[int, ...]) -> None:
    assert found(nodes=nodes) == []


@pytest.mark.parametrize(("backwards", "times"), [(4, 0), (5, 0), (6, 1), (7, 1)])
def test_each_side_of_backwards(backwards: int, times: int) -> None:
    assert len(found(nodes=tuple(10 + 10 * step for step in range(backwards)))) == times


@pytest.mark.parametrize(("last", "times"), [(149, 0), (150, 1), (151, 1), (299, 1)])
def test_each_side_of_growth(last: int, times: int) -> None:
    assert len(found(nodes=(100, 110, 120, 130, 140, last))) == times
