"""Inputs and answers of a dataset that lie in other rows than each other."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, random_split

from firstlight.observe.inside.relations.in_order import BatchPlaces, in_order, is_series, places_of
from firstlight.records.relations import Neighbours

ROWS = 600


def asked(given: Tensor, answer: Tensor) -> Neighbours:
    return in_order(DataLoader(TensorDataset(given, answer), 32, shuffle=True), BatchPlaces(0, 1))


@pytest.fixture
def table() -> Tensor:
    return torch.randn(ROWS, 5, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("by", [-9, -1, 1, 16])
def test_a_shift_is_found_with_its_offset(table: Tensor, by: int) -> None:
    found = asked(table, table.sum(1).roll(by, 0))

    assert (found.examples, found.offset) == (ROWS, by)
    assert found.offset_deviations > 20 > 4 > found.deviations


def test_a_part_drawn_at_random_is_asked_in_the_order_it_was_drawn_from(table: Tensor) -> None:
    whole = TensorDataset(table, table.sum(1).roll(1, 0))
    part, _ = random_split(whole, [400, 200], torch.Generator().manual_seed(0))

    assert in_order(DataLoader(part, 32, shuffle=True), BatchPlaces(0, 1)).offset == 1


def test_answers_in_their_own_rows_fit_best_there(table: Tensor) -> None:
    found = asked(table, (table.sum(1) > 0).long())

    assert found.deviations > 20 > 10 > found.offset_deviations


def test_the_next_value_of_a_series_is_no_shift() -> None:
    values = torch.randn(ROWS + 20, generator=torch.Generator().manual_seed(0))
    windows = values.unfold(0, 10, 1)[:ROWS]
    last = torch.cat([windows[:, -1:], torch.randn(ROWS, 3)], 1)

    assert asked(windows, values[10 : ROWS + 10]) == Neighbours()
    assert asked(last, values[10 : ROWS + 10]) == Neighbours()


def test_rows_that_follow_from_one_another_are_a_series(table: Tensor) -> None:
    slow = torch.cat([table, table[:, :1].cumsum(0)], 1)

    assert is_series(slow)
    assert not is_series(table)
    assert not is_series((table * 3).round())  # few values come again by chance
    assert is_series(table.flatten().unfold(0, 6, 1))


def test_a_stream_has_no_order_of_its_own(table: Tensor) -> None:
    class Stream(IterableDataset[Tensor]):
        def __iter__(self) -> Iterator[Tensor]:
            return iter(table)

    assert in_order(DataLoader(Stream()), BatchPlaces(0, 1)) == Neighbours()


def test_the_answer_is_known_by_its_values(table: Tensor) -> None:
    answer = table.sum(1)
    batch = [answer, table]

    assert places_of(table * 2, answer.view(-1, 1), batch) == BatchPlaces(1, 0)
    assert places_of(table, answer.roll(1), batch) is None
    assert places_of(table[:, :2], answer, batch) is None
