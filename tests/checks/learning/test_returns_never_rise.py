from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.returns_never_rise import CHECK
from firstlight.records.dealings import Returning
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

SEEN = Returning(
    rank=1,
    site=Site(file="train.py", line=20),
    step=300,
    episodes=120,
    start=9.5,
    end=8.0,
    rise=-1.5,
    varied=True,
    to_end=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_both_ends_of_the_run() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "120 episodes in the whole run: the first return 9.5, the last quarter 8 (-1.5 standard errors)"
    )
    assert evidence.wanted == "a mean return that rises by 2 standard errors or more"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 20, 1)


def test_rewards_that_are_all_alike_tell_nothing() -> None:
    assert found(varied=False) == []


@pytest.mark.parametrize(("episodes", "times"), [(59, 0), (60, 1)])
def test_each_side_of_episodes(episodes: int, times: int) -> None:
    assert len(found(episodes=episodes)) == times


@pytest.mark.parametrize(("rise", "times"), [(1.9, 1), (2.0, 0), (float("nan"), 0)])
def test_each_side_of_rise(rise: float, times: int) -> None:
    assert len(found(rise=rise)) == times


@pytest.mark.parametrize(("rise", "times"), [(1.9, 0), (-5.9, 0), (-6.1, 1)])
def test_each_side_of_fall_while_the_run_goes_on(rise: float, times: int) -> None:
    seen = found(rise=rise, to_end=False)

    assert len(seen) == times
    assert all("120 episodes in the first 300 steps" in evidence.saw for evidence in seen)
