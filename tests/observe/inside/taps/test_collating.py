"""Collate functions, watched where a loader calls them."""

import functools
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils.data import default_collate

from firstlight.observe.inside.taps.collating import MOST_BATCHES, Collating, site_of_function
from firstlight.records.feed import CollateSeen

ITEMS = [(torch.tensor([i, i + 0.5]), i) for i in range(6)]


def collate(items: Any) -> Any:
    values, answers = zip(*items, strict=True)
    items.clear()
    return torch.stack(values), torch.tensor(answers).flip(0)


class Collator:
    def __call__(self, items: Any) -> Any:
        return collate(items)

    def method(self, items: Any) -> Any:
        return collate(items)


def test_a_function_is_known_by_its_first_line() -> None:
    found = [site_of_function(one) for one in (collate, functools.partial(collate), Collator(), Collator().method)]

    assert [site.function if site else None for site in found] == ["collate", "collate", "__call__", "method"]


@pytest.mark.parametrize("function", [default_collate, list, len])
def test_those_of_torch_and_python_are_not_the_programs_own(function: Any) -> None:
    assert site_of_function(function) is None


def test_the_first_batches_are_looked_at() -> None:
    told: list[CollateSeen] = []
    observer: Any = SimpleNamespace(step=3, quiet=nullcontext, emit=told.append)
    fetcher = SimpleNamespace(collate_fn=collate)
    Collating(observer).watch(fetcher)
    made: list[Any] = [fetcher.collate_fn(list(ITEMS)) for _ in range(MOST_BATCHES + 2)]

    assert len(told) == MOST_BATCHES
    assert (told[0].what, told[0].torn, told[0].items) == ("rows", 6, 6)
    assert torch.equal(made[0][1], torch.arange(6).flip(0))
