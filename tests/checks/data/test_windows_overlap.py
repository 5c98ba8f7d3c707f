from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.windows_overlap import CHECK
from firstlight.records.feed import FeedSeen, Overlap
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

OVERLAP = Overlap(trained=450, judged=150, covered=10, pieces=2000, shared_pieces=0.8)
FEED = FeedSeen(
    step=100,
    model=0,
    name="Net",
    site=Site(file="train.py", line=30),
    eval_site=Site(file="train.py", line=36),
    inputs=(),
    overlap=OVERLAP,
)


def found(crowded: int = 0, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FEED, crowded=crowded, overlap=replace(OVERLAP, **changes)), CHECK.limits))


def test_tells_the_share() -> None:
    (evidence,) = found()

    assert "80% of 2,000 stretches of the evaluated sequences" in evidence.saw
    assert evidence.where.line == 36


@pytest.mark.parametrize(("share", "times"), [(0.32, 0), (0.33, 1)])
def test_each_side_of_share(share: float, times: int) -> None:
    assert len(found(shared_pieces=share)) == times


@pytest.mark.parametrize(("pieces", "times"), [(199, 0), (200, 1)])
def test_each_side_of_pieces(pieces: int, times: int) -> None:
    assert len(found(pieces=pieces)) == times


@pytest.mark.parametrize(("covered", "times"), [(406, 0), (405, 1)])
def test_each_side_of_covered(covered: int, times: int) -> None:
    assert len(found(covered=covered)) == times


@pytest.mark.parametrize(("crowded", "times"), [(3, 0), (2, 1)])
def test_each_side_of_crowded(crowded: int, times: int) -> None:
    assert len(found(crowded=crowded)) == times
