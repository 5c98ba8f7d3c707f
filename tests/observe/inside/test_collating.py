"""Parts of items, followed into the batch that a collate function makes of them."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from firstlight.observe.inside.collating import torn

Items = list[tuple[Any, ...]]
LENGTHS = (3, 7, 5, 4, 6, 2)


def sentences() -> Items:
    generator = torch.Generator().manual_seed(0)
    words = [torch.randint(1, 50, (length,), generator=generator) for length in LENGTHS]
    return [(tokens, (tokens > 25).long()) for tokens in words]


def pictures() -> Items:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(3, 2, generator=generator), label) for label in (0, 1, 2, 0, 1, 1)]


def padded(values: Any, **how: Any) -> torch.Tensor:
    return pad_sequence(list(values), batch_first=True, **how)


def longest_first(values: Any) -> list[Any]:
    return sorted(values, key=len, reverse=True)


@pytest.mark.parametrize(
    ("collate", "what"),
    [
        (lambda x, y: (padded(x), padded(y, padding_value=-100)), None),
        (lambda x, y: {"ids": pad_sequence(x), "tags": pad_sequence(y)}, None),
        (lambda x, y: (padded(x, padding_side="left"), padded(y, padding_side="left")), None),
        (lambda x, y: (padded(longest_first(x)), padded(longest_first(y), padding_value=-100)), None),
        (lambda x, y: (padded(longest_first(x)), padded(y, padding_value=-100)), "rows"),
        (lambda x, y: (padded(x), padded(reversed(y), padding_value=-100)), "rows"),
        (lambda x, y: (padded(x, padding_side="left"), padded(y, padding_value=-100)), "places"),
        (lambda x, y: (padded(x) + 1, padded(reversed(y))), None),
    ],
    ids=["padded", "time first", "both left", "both sorted", "one sorted", "one turned", "one left", "changed"],
)
def test_sequences(collate: Callable[[Any, Any], Any], what: str | None) -> None:
    items = sentences()
    found = torn(items, collate(*zip(*items, strict=True)))

    assert (found.what if found else None) == what


@pytest.mark.parametrize(
    ("collate", "what"),
    [
        (lambda x, y: (torch.stack(x), torch.tensor(y)), None),
        (lambda x, y: (torch.stack(x).flip(0), torch.tensor(y).flip(0)), None),
        (lambda x, y: (torch.stack(x), torch.stack(x).roll(1, 0), torch.tensor(y)), None),
        (lambda x, y: (torch.stack(x), torch.tensor(y).flip(0)), "rows"),
        (lambda x, y: (torch.stack(x).roll(1, 0), torch.tensor(y)), "rows"),
    ],
    ids=["as they come", "both turned", "with contrast", "labels turned", "images moved"],
)
def test_images_with_a_label(collate: Callable[[Any, Any], Any], what: str | None) -> None:
    items = pictures()
    found = torn(items, collate(*zip(*items, strict=True)))

    assert (found.what if found else None) == what


def test_how_many_items_are_torn_and_which_parts() -> None:
    rows = [torch.tensor([i, i + 0.5]) for i in range(8)]
    items = [{"x": row, "y": i} for i, row in enumerate(rows)]
    found = torn(items, {"x": torch.stack(rows), "y": torch.arange(8).roll(1)})

    assert found is not None
    assert (found.first, found.second, found.items) == ("`x`", "`y`", 8)


@pytest.mark.parametrize("items", [None, [], [(1, "a")] * 2, ["text"] * 6, [object()] * 6, [("a", "b")] * 6])
def test_items_that_say_nothing(items: Any) -> None:
    assert torn(items, torch.zeros(6, 3)) is None
