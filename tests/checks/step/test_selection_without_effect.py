from math import inf
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.selection_without_effect import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.selection import Selection

HEALTHY = Selection(
    step=12,
    kind="kept",
    site=Site(file="train.py", line=30),
    metric="loss",
    best="best",
    larger=False,
    met=(2.0, 1.5, 1.7),
    against=(inf, 2.0, 1.5),
    times=3,
    kept=2,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(HEALTHY, **changes), CHECK.limits))


def test_a_best_that_follows_is_fine() -> None:
    assert found() == []


def test_zero_is_out_of_reach_of_a_loss() -> None:
    (evidence,) = found(against=(0.0, 0.0, 0.0), kept=0)

    assert evidence.saw == "`loss` was 2, 1.5, 1.7, and it was never better: `best` is 0"
    assert evidence.where.line == 30


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"larger": True, "against": (inf, inf, inf)}, 1),
        ({"larger": True, "against": (9.0, 9.0, 9.0)}, 0),
        ({"larger": True, "met": (-2.0, -1.0, -1.0), "against": (0.0, 0.0, 0.0)}, 0),
        ({"met": (0.0, 1.0, 1.0), "against": (0.0, 0.0, 0.0)}, 0),
        ({"against": (0.1, 0.1, 0.1)}, 0),
    ],
)
def test_what_may_still_be_reached_is_not_told(changes: dict[str, Any], times: int) -> None:
    assert len(found(kept=0, **changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"against": (9.0, 9.0, 9.0), "kept": 3}, 1),
        ({"against": (9.0, 9.0, 9.0), "kept": 2}, 0),
        ({"against": (9.0, 9.0, 9.0), "kept": 3, "met": (2.0, 2.0, 2.0)}, 0),
        ({"against": (inf, 2.0, 1.9), "kept": 3}, 0),
        ({"against": (inf, inf, inf), "kept": 3, "noted": True}, 0),
    ],
)
def test_a_best_that_stays_where_it_was_is_told(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_model_that_goes_on_training_is_not_kept() -> None:
    assert "`net` is kept under another name" in found(itself="net")[0].saw
    assert found(itself="net", kept=0) == []


@pytest.mark.parametrize(("times", "told"), [(1, 0), (2, 1)])
def test_each_side_of_times(times: int, told: int) -> None:
    assert len(found(times=times, kept=0, against=(0.0,) * times, met=(2.0,) * times)) == told


def test_a_plateau_is_not_asked() -> None:
    assert found(kind="plateau", kept=0, against=(0.0, 0.0, 0.0)) == []
