from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, Subset, TensorDataset

from firstlight.observe.inside.origin import Origins


class Held(Dataset[Any]):
    def __init__(self, changes: bool, **held: Any) -> None:
        self.changes = changes
        self.__dict__.update(held)


def rows(origins: Origins, dataset: Any) -> list[int]:
    return origins.of(SimpleNamespace(dataset=dataset), [0, 1])


def test_two_datasets_that_hold_the_same_are_one() -> None:
    origins, values = Origins(), torch.randn(9, 3)
    for held in ({"x": values}, {"x": values.numpy()}, {"files": ["a.png", "b.png"]}, {"pairs": [("a.png", 1)]}):
        assert rows(origins, Held(True, **held)) == rows(origins, Held(False, **held))
    assert rows(origins, TensorDataset(values)) == rows(origins, TensorDataset(values.clone()))


def test_others_are_not_even_if_they_are_as_long() -> None:
    origins = Origins()
    for here, there in (
        (torch.zeros(9, 3), torch.ones(9, 3)),
        (np.zeros((9, 3)), np.ones((9, 3))),
        (["a.png"], ["b.png"]),
        ([object()], [object()]),
    ):
        first, second = Held(True, x=here), Held(True, x=there)
        assert not set(rows(origins, first)) & set(rows(origins, second))
        assert rows(origins, first) == rows(origins, first)


def test_a_plain_list_of_examples_is_known_by_some_of_them() -> None:
    origins, values = Origins(), torch.randn(9, 3)
    made: Any
    for made in (
        lambda values: [(one, one.sum()) for one in values],
        lambda values: [{"x": one, "y": 1.0} for one in values],
        tuple,
    ):
        assert rows(origins, made(values)) == rows(origins, made(values.clone()))
        assert not set(rows(origins, made(values))) & set(rows(origins, made(values + 1)))
    others = [object()], [object()]
    assert not set(rows(origins, others[0])) & set(rows(origins, others[1]))


def test_a_part_of_a_dataset_has_its_rows() -> None:
    origins, whole = Origins(), TensorDataset(torch.randn(9, 3))

    assert rows(origins, Subset(Subset(whole, [3, 4, 5]), [1, 2])) == rows(origins, whole)
    assert origins.of(None, [0]) == []
