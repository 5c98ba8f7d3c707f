from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.feeding import FEED, evaluated, fed, found

from firstlight.checks.data.split_fed_differently import CHECK
from firstlight.records.feed import Carried, FeedSeen, Preparation
from firstlight.records.finding import Severity


def test_tells_both_sides() -> None:
    (evidence,) = found(CHECK, evaluated(wider=255.0))

    assert evidence.saw == "`input 0` is 0 ± 1 in training and 0 ± 255 in evaluation"
    assert (evidence.where.line, evidence.severity) == (30, Severity.ERROR)


@pytest.mark.parametrize(("wider", "times"), [(1.0, 0), (7.9, 0), (8.0, 1), (0.126, 0), (0.125, 1)])
def test_each_side_of_factor(wider: float, times: int) -> None:
    assert len(found(CHECK, evaluated(wider=wider))) == times


@pytest.mark.parametrize(("wider", "severity"), [(29.9, Severity.WARNING), (30.0, Severity.ERROR)])
def test_each_side_of_certain_factor(wider: float, severity: Severity) -> None:
    (evidence,) = found(CHECK, evaluated(wider=wider))

    assert evidence.severity is severity


@pytest.mark.parametrize(("apart", "times"), [(1.0, 0), (3.9, 0), (4.0, 1)])
def test_each_side_of_deviations(apart: float, times: int) -> None:
    evidence = found(CHECK, evaluated(apart=apart))

    assert [e.severity for e in evidence] == [Severity.WARNING] * times


@pytest.mark.parametrize(("rows", "times"), [(15, 0), (16, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(CHECK, evaluated(wider=50.0, rows=rows))) == times


def test_without_an_evaluation_there_is_nothing_to_compare() -> None:
    assert found(CHECK, FEED) == []
    assert found(CHECK, fed()) == []
    assert found(CHECK, evaluated(wider=0.0)) == []


@pytest.mark.parametrize(("factor", "times"), [(2.9, 0), (3.0, 1), (1 / 2.9, 0), (1 / 3.1, 1)])
def test_a_few_rows_that_lie_far_out_are_no_other_preparation(factor: float, times: int) -> None:
    wide = evaluated(wider=200.0)
    usual = replace(wide.inputs[0], prepared=Preparation(even=0.5, factor=factor))

    assert len(found(CHECK, replace(wide, inputs=(usual,)))) == times


def otherwise(crowded: int = 0, **changes: Any) -> FeedSeen:
    """One rule for all features: three times as wide, so many deviations away, in another order."""
    alike = evaluated()
    usual = Preparation(places=8.0, even=1.0)
    fed = replace(alike.inputs[0], prepared=replace(usual, **changes))
    return replace(alike, inputs=(fed,), crowded=crowded)


def test_one_factor_for_all_features_is_told() -> None:
    (evidence,) = found(CHECK, otherwise(factor=3.0, offset=-0.5))

    assert evidence.saw.startswith(
        "`input 0` is in evaluation 3 times its training values -0.5 standard deviations of training"
    )
    assert evidence.cause == "data-split-shift"


@pytest.mark.parametrize(("factor", "times"), [(1.0, 0), (2.9, 0), (3.0, 1), (0.34, 0), (0.33, 1), (0.0, 0)])
def test_each_side_of_even_factor(factor: float, times: int) -> None:
    assert len(found(CHECK, otherwise(factor=factor))) == times


@pytest.mark.parametrize(("offset", "times"), [(1.9, 0), (2.0, 1), (-2.0, 1), (float("nan"), 0)])
def test_each_side_of_even_deviations(offset: float, times: int) -> None:
    assert len(found(CHECK, otherwise(offset=offset))) == times


@pytest.mark.parametrize(("even", "places", "times"), [(0.8, 3.0, 1), (0.79, 3.0, 0), (0.8, 2.9, 0)])
def test_each_side_of_even_and_independent(even: float, places: float, times: int) -> None:
    assert len(found(CHECK, otherwise(factor=5.0, even=even, places=places))) == times


@pytest.mark.parametrize(
    ("own", "ordered", "times"),
    [(4.0, 1.0, 1), (3.9, 0.9, 0), (8.0, 2.0, 1), (8.0, 2.1, 0), (99.0, 3.9, 1), (99.0, 4.0, 0)],
)
def test_each_side_of_own_and_ordered(own: float, ordered: float, times: int) -> None:
    evidence = found(CHECK, otherwise(order="mirrored", own=own, ordered=ordered))

    assert [one.cause for one in evidence] == ["data-schema"] * times


def test_examples_sorted_on_one_side_are_told() -> None:
    (evidence,) = found(CHECK, otherwise(ascending="training"))

    assert evidence.saw == "`input 0` is sorted by value within each example of training, but not on the other side"
    assert evidence.cause == "data-schema"


@pytest.mark.parametrize(("crowded", "times"), [(2, 1), (3, 0)])
def test_each_side_of_crowded(crowded: int, times: int) -> None:
    assert len(found(CHECK, otherwise(crowded=crowded, factor=5.0))) == times


def carried(crowded: int = 0, **changes: Any) -> FeedSeen:
    """Training moves the columns of what its loader gives, and evaluation does not."""
    alike = evaluated()
    usual = Carried(training="in another order", evaluation="as loaded", calls=4, apart=True)
    return replace(alike, inputs=(replace(alike.inputs[0], carried=replace(usual, **changes)),), crowded=crowded)


def test_another_order_on_the_way_to_the_model_is_told() -> None:
    (evidence,) = found(CHECK, carried())

    assert evidence.saw == "`input 0` reaches the model in another order in training, and as loaded in evaluation"
    assert evidence.cause == "data-schema"
    assert found(CHECK, carried(apart=False)) == []


@pytest.mark.parametrize(("calls", "times"), [(1, 0), (2, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(CHECK, carried(calls=calls))) == times


@pytest.mark.parametrize(("crowded", "times"), [(2, 1), (3, 0)])
def test_calls_within_the_training_are_none_of_evaluation(crowded: int, times: int) -> None:
    assert len(found(CHECK, carried(crowded=crowded))) == times


def test_exchanged_axes_are_the_same_data_read_otherwise() -> None:
    (by_hand,) = found(CHECK, carried(turned=True))
    (by_likeness,) = found(CHECK, otherwise(order="turned", turned=True, own=9.0, ordered=1.0))

    assert "two other axes" in (by_hand.likely or "")
    assert (by_hand.cause, by_likeness.cause) == ("data-split-shift", "data-split-shift")
