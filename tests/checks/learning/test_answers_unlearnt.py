from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.answers_unlearnt import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.learning import Gone, Unlearnt
from firstlight.records.places import Site

LOST = Unlearnt(
    site=Site(file="train.py", line=30),
    built=Site(file="train.py", line=12),
    gone=Gone(best_at=128, best=2.0, best_loss=0.17, since=176, gap=0.0, loss=0.48),
    rate=0.04,
    risen=0.1,
    optimizers=1,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOST, **changes), CHECK.limits))


def test_a_rate_that_rose_is_to_blame() -> None:
    (evidence,) = found()

    assert "by step 128 the loss was 0.17, 2 below that with targets of other examples;" in evidence.saw
    assert "from step 176 on it is 0.48" in evidence.saw
    assert "had risen from 0.04 to 0.1" in evidence.saw
    assert (evidence.cause, evidence.where.line) == ("hp-lr-high", 12)


@pytest.mark.parametrize(("rate", "risen"), [(0.5, 0.74), (0.1, 0.1), (None, None)])
def test_without_such_a_rate_the_cause_is_not_known(rate: float | None, risen: float | None) -> None:
    (evidence,) = found(rate=rate, risen=risen)

    assert (evidence.cause, evidence.where.line) == ("unknown", 30)


def test_each_side_of_rise() -> None:
    assert found(rate=0.5, risen=0.75)[0].cause == "hp-lr-high"


def test_players_that_pull_against_each_other_are_not_judged() -> None:
    assert found(optimizers=2) == []
