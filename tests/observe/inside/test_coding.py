"""Codes are known again by value, and compared by what they stand for."""

from typing import Any

import numpy as np
import pytest
import torch

from firstlight.observe.inside.coding import CodesKept, CodesMoved, Codings, moved, taken_from

NAMES = ["Aston", "Brill", "Corby", "Diss"]
HERE = np.arange(120) * 7 % 4
THERE = np.arange(60) * 5 % 3
FEWER = ["Aston", "Corby", "Diss"]


@pytest.fixture
def codings() -> Codings:
    found = Codings()
    found.add("cat.codes", None, NAMES, HERE)
    found.add("cat.codes", None, FEWER, THERE)
    return found


def test_categories_after_a_missing_one_move(codings: Codings) -> None:
    assert codings.disagree
    assert moved(*codings.known) == CodesMoved(rows=40, kinds=3, example="Corby", here=2, there=1)


def test_the_same_codes_for_the_same_categories_are_no_matter() -> None:
    found = Codings()
    found.add("map", None, {"Aston": 0, "Brill": 1, "Corby": 2}, THERE)
    found.add("map", None, {"Aston": 0, "Brill": 1, "Corby": 2, "Diss": 3}, HERE)

    assert len(found.known) == 2
    assert not found.disagree


@pytest.mark.parametrize(
    "codes",
    [np.arange(20) % 4, np.sort(HERE), np.zeros(120), HERE + 0.5, np.array(["a"] * 120), HERE.reshape(60, 2)],
    ids=["few", "sorted", "one", "parts", "text", "table"],
)
def test_what_is_no_column_of_codes(codes: Any) -> None:
    found = Codings()
    found.add("unique", None, NAMES, codes)

    assert found.known == []


def test_a_column_is_known_again_in_an_array(codings: Codings) -> None:
    table = np.column_stack([np.ones(120), HERE]).astype(np.float32)

    assert [(place, one.number) for place, one in codings.columns_of(table)] == [(1, 0)]
    assert [(place, one.number) for place, one in codings.columns_of(torch.tensor(THERE))] == [(0, 1)]
    assert codings.columns_of(table[::-1]) == []
    assert codings.columns_of(np) == []
    assert codings.columns_of("text") == []


def test_a_batch_by_its_places_in_the_dataset(codings: Codings) -> None:
    columns, places = torch.tensor(HERE), [5, 40, 7]
    sources = [CodesKept(columns[:, None].float(), codings.columns_of(columns))]

    assert [one.number for _, one in taken_from(columns[places], sources, places)] == [0]
    assert list(taken_from(columns[places], sources, [1, 2, 3])) == []
    assert list(taken_from(columns[places], sources, ())) == []
    assert len(list(taken_from(columns, sources, ()))) == 1


def test_a_batch_by_its_rows_where_they_differ(codings: Codings) -> None:
    table = torch.stack([torch.tensor(HERE).float(), torch.randn(120)], 1)
    sources = [CodesKept(table, codings.columns_of(table))]

    assert [one.number for _, one in taken_from(table[[3, 50, 9]], sources, ())] == [0]
    assert list(taken_from(table[[3, 50, 9]] + 1, sources, ())) == []


def test_codes_that_leave_the_first_ones_free_are_known_again_as_they_are_fed(codings: Codings) -> None:
    ((place, fed),) = codings.columns_of(HERE + 1)

    assert (place, fed.number, fed.kinds["Brill"]) == (0, 0, 2)
    assert moved(fed, codings.columns_of(THERE + 1)[0][1]).rows == 40
    assert codings.columns_of(HERE + 0.5) == []
    assert codings.columns_of(HERE * 2) == []
