"""Inputs and answers of a dataset that were listed in different orders."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, random_split

from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.observe.inside.relations.orders import ANSWERS_AS_TEXT, INPUTS_AS_TEXT, REVERSED, reordered
from firstlight.records.relations import Reordered

ROWS = 1400


@pytest.fixture
def table() -> Tensor:
    return torch.randn(ROWS, 5, generator=torch.Generator().manual_seed(0))


def asked(given: Tensor, answer: Tensor) -> Reordered:
    part, _ = random_split(TensorDataset(given, answer), [1000, 400], torch.Generator().manual_seed(0))
    return reordered(DataLoader(part, 32, shuffle=True), BatchPlaces(0, 1))


def as_text(first: int) -> Tensor:
    return torch.tensor(sorted(range(ROWS), key=lambda row: str(row + first)))


@pytest.mark.parametrize("first", [0, 1])
def test_names_sorted_as_text_are_told_apart_from_those_that_count(table: Tensor, first: int) -> None:
    label = (table[:, 0] > 0).long()
    inputs, answers = asked(table[as_text(first)], label), asked(table, label[as_text(first)])

    assert (inputs.order, answers.order) == (INPUTS_AS_TEXT, ANSWERS_AS_TEXT)
    assert min(inputs.order_deviations, answers.order_deviations) > 10 > 4 > max(inputs.deviations, answers.deviations)


def test_so_is_one_that_is_reversed(table: Tensor) -> None:
    found = asked(table, table.sum(1).flip(0))

    assert found.order == REVERSED
    assert found.order_deviations > 10 > 4 > found.deviations


@pytest.mark.parametrize("blocks", [1, 20])
def test_answers_in_their_own_rows_fit_best_there(table: Tensor, blocks: int) -> None:
    """Also where rows that stand together have one answer, some of which fit in any order."""
    kind = torch.randint(4, (ROWS // blocks,), generator=torch.Generator().manual_seed(1)).repeat_interleave(blocks)
    found = asked(table + 4 * torch.nn.functional.one_hot(kind, 5), kind)

    assert found.deviations > 2 * found.order_deviations


def test_noise_fits_in_no_order(table: Tensor) -> None:
    assert asked(table, torch.arange(ROWS) % 3).order_deviations < 5


def test_streams_and_a_handful_are_not_asked(table: Tensor) -> None:
    class Stream(IterableDataset[Tensor]):
        def __iter__(self) -> Iterator[Tensor]:
            return iter(table)

    assert reordered(DataLoader(Stream()), BatchPlaces(0, 1)) == Reordered()
    few = TensorDataset(table[:100], table[:100, 0])
    assert reordered(DataLoader(few), BatchPlaces(0, 1)) == Reordered()
