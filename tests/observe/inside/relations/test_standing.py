import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from firstlight.observe.inside import rows
from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.observe.inside.relations.standing import (
    LoadedFrom,
    Standing,
    StandingTable,
    evaluated_in,
    read,
    with_answers,
)


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def looked(given: torch.Tensor, *_variables: object) -> Standing:
    standing = Standing()
    standing.look(given, training=True)
    return standing


@pytest.mark.parametrize("kind", ["tensor", "array"])
def test_the_table_and_the_answers_of_a_batch_that_was_cut_by_hand(drawn: torch.Generator, kind: str) -> None:
    features, prices = torch.randn(200, 4, generator=drawn), torch.randn(200, generator=drawn)
    others = torch.randn(200, generator=drawn)
    held = [t.numpy() if kind == "array" else t for t in (features, others, prices)]
    table, wrong, right = held
    chosen = torch.randperm(200, generator=drawn)[:50]

    found = with_answers(looked(features[chosen], table, wrong, right), features[chosen], prices[chosen, None])

    assert found is not None
    assert torch.equal(found.rows, features)
    assert torch.equal(found.answers, prices)


def test_no_column_holds_the_answers(drawn: torch.Generator) -> None:
    features = torch.randn(200, 4, generator=drawn)

    assert with_answers(looked(features[:50]), features[:50], torch.zeros(50, 1) - 7) is None


def test_rows_that_were_changed_are_of_no_table(drawn: torch.Generator) -> None:
    features, prices = torch.randn(200, 4, generator=drawn), torch.randn(200, generator=drawn)

    assert with_answers(looked(features[:50]), features[:50] + 1, prices[:50, None]) is None


def test_evaluated_rows_are_joined_with_each_column_as_long(drawn: torch.Generator) -> None:
    trained = StandingTable(torch.randn(200, 4, generator=drawn), torch.randn(200, generator=drawn))
    later, later_prices = torch.randn(150, 4, generator=drawn), torch.randn(150, generator=drawn)
    standing = looked(later, later_prices)

    found = [
        table for table, count in evaluated_in(standing, trained, set(rows.keys([later[:20]]))) if count == len(later)
    ]

    assert any(torch.equal(table.answers[200:], later_prices) for table in found)
    assert list(evaluated_in(standing, trained, set())) == []


def test_a_dataset_is_read_in_its_order() -> None:
    values = torch.arange(300.0)
    loader = DataLoader(TensorDataset(torch.stack([values, -values], 1), values), batch_size=7, shuffle=True)

    found = read(LoadedFrom(loader.dataset, loader.collate_fn), BatchPlaces(0, 1))

    assert found is not None
    assert found.answers.tolist() == values.tolist()


def test_small_and_odd_variables_are_left_alone() -> None:
    few, words = torch.zeros(10, 3), np.array(["a"] * 200)
    standing = looked(torch.zeros(5, 3), few, words)

    assert all(len(table) >= 128 for table in standing.tables(3))
