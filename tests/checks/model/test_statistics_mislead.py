from typing import Any

from msgspec.structs import replace

from firstlight.checks.model.statistics_mislead import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.inner import NormStatistics
from firstlight.records.places import Site

LAGS = NormStatistics(
    step=120,
    module="backbone.1",
    site=Site(file="train.py", line=18),
    batches=121,
    momentum=1e-5,
    apart=1.98,
    began=2.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LAGS, **changes), CHECK.limits))


def test_tells_how_far_they_are_and_were() -> None:
    (evidence,) = found()

    assert "after 121 batches the running mean and variance of `backbone.1` are 2 from those of a batch" in evidence.saw
    assert evidence.where.line == 18


def test_the_first_batches_are_not_judged() -> None:
    assert found(batches=100, momentum=0.1)
    assert not found(batches=99, momentum=0.1)
    assert not found(batches=99, momentum=None)


def test_a_momentum_that_foretells_it_is_told_early() -> None:
    assert found(batches=16, momentum=0.001)
    assert not found(batches=16, momentum=0.002)
    assert not found(batches=16, momentum=0.001, apart=1.79)


def test_statistics_that_fit_anyway_are_quiet() -> None:
    assert found(apart=0.7, began=0.7)
    assert not found(apart=0.69, began=0.69)


def test_statistics_on_their_way_are_quiet() -> None:
    assert found(apart=1.81)
    assert not found(apart=1.79)


def test_statistics_that_got_further_away_are_no_nearer() -> None:
    assert found(apart=2.5)
