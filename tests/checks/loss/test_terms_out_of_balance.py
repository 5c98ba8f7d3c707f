from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.terms_out_of_balance import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import TermTrack

BASE = TermTrack(rank=1, step=999, steps=100, terms={"class_loss": 0.5, "price_loss": 5000.0})


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("`price_loss` is 5e+03 and `class_loss` 0.5")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"terms": {"class_loss": 0.0, "price_loss": 5000.0}}],
    ids=["one of them is zero"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"steps": 63}, 0), ({"steps": 64}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"terms": {"a_loss": 1.0, "b_loss": 1000.0}}, 0), ({"terms": {"a_loss": 1.0, "b_loss": 1001.0}}, 1)],
)
def test_each_side_of_ratio(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
