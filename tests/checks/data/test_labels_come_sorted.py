from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.labels_come_sorted import CHECK
from firstlight.records.facts import Labels, LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

LOSS = LossSite(
    rank=1,
    function="cross_entropy",
    site=Site(file="train.py", line=22),
    calls=10,
    first_step=0,
    prediction=TensorCard(shape=(32, 3), dtype="float32"),
    target=None,
    made_by=None,
    made_at=None,
    class_sum_error=None,
    class_logsum_error=None,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
)
MIXED = (0, 2)
SORTED = (0, 0, 0, 1, 1, 1, 2, 2, 2, 2)


def labels(*batches: int | tuple[int, int], examples: int = 32) -> tuple[Labels, ...]:
    ranges = [(batch, batch) if isinstance(batch, int) else batch for batch in batches]
    return tuple(Labels(step=i, examples=examples, low=low, high=high) for i, (low, high) in enumerate(ranges))


def found(*batches: int | tuple[int, int], **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOSS, labels=labels(*batches, **changes)), CHECK.limits))


def test_tells_two_classes_and_when_they_came() -> None:
    (evidence,) = found(*SORTED)

    assert evidence.saw == (
        "10 of 10 batches of `cross_entropy` hold a single class: class 0 at step 0, class 1 at step 3"
    )
    assert evidence.wanted == "batches that mix the classes"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 22, 1)
    assert evidence.numbers == {"batches": 10, "narrow": 10, "elsewhere": 7}


def test_many_classes_in_order_fill_a_small_part_of_their_range() -> None:
    (evidence,) = found((0, 3), (3, 5), (5, 9), (9, 11), (11, 14), (14, 17), (17, 19))

    assert "hold at most 20% of the range of classes" in evidence.saw


def test_mixed_batches_are_fine() -> None:
    assert found(*[MIXED] * 10) == []


def test_one_class_overall_is_fine() -> None:
    assert found(*[1] * 10) == []


def test_descending_order_is_an_order() -> None:
    assert len(found(*reversed(SORTED))) == 1


def test_a_class_that_fills_batches_beside_a_rare_one_is_fine() -> None:
    assert found(0, 0, 0, (0, 1), 0, 0, 0, 0, 0, 0) == []


def test_real_and_fake_in_turn_are_fine() -> None:
    assert found(1, 0, 1, 0, 1, 0, 1, 0, 1, 0) == []


def test_without_neighbouring_steps_there_is_no_order() -> None:
    apart = tuple(replace(batch, step=25 * batch.step) for batch in labels(*SORTED))

    assert list(CHECK.find(replace(LOSS, labels=apart), CHECK.limits)) == []


@pytest.mark.parametrize(("calls", "times"), [(0, 0), (5, 0), (6, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(*[0, 0, 1, 1, 2, 2][:calls])) == times


@pytest.mark.parametrize(("examples", "times"), [(1, 0), (7, 0), (8, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(*SORTED, examples=examples)) == times


@pytest.mark.parametrize(("width", "times"), [(3, 1), (4, 1), (5, 0)])
def test_each_side_of_narrow(width: int, times: int) -> None:
    assert len(found(0, *[(low, low + width) for low in (3, 6, 9, 12, 15)], 20)) == times


@pytest.mark.parametrize(("mixed", "times"), [(1, 1), (2, 1), (3, 0)])
def test_each_side_of_narrow_share(mixed: int, times: int) -> None:
    assert len(found(*SORTED[:-mixed], *[MIXED] * mixed)) == times


@pytest.mark.parametrize(("others", "times"), [(1, 0), (2, 1), (3, 1)])
def test_each_side_of_elsewhere_share(others: int, times: int) -> None:
    assert len(found(*[0] * (10 - others), *[1] * others)) == times


@pytest.mark.parametrize(
    ("batches", "times"),
    [((0, 0, 1, 1, 2, 0, 1, 2), 1), ((0, 1, 2, 0, 1, 2, 0, 1), 0), ((2, 1, 0, 2, 1, 0, 0, 0), 1)],
    ids=["one epoch ends", "two end", "one ends, descending"],
)
def test_each_side_of_back_share(batches: Sequence[int], times: int) -> None:
    assert len(found(*batches)) == times
