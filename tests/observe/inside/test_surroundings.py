"""Examples that are cut by hand are found in what the program holds."""

from collections.abc import Callable

import torch
from torch import Tensor

from firstlight.observe.inside.carrying import way_of
from firstlight.observe.inside.surroundings import sources_of

STORED = torch.randn(200, 8, generator=torch.Generator().manual_seed(0))


def cut(change: Callable[[Tensor], Tensor], first: int, last: int) -> Tensor:
    return change(STORED[first:last].clone())


def way(given: Tensor, held: Tensor) -> str:
    """How what is given comes from what this frame has a name for."""
    found = way_of(given, sources_of(given)) if len(held) else None
    return "" if found is None else found.told()


def test_rows_of_a_larger_tensor_come_as_they_are() -> None:
    given = cut(lambda x: x[torch.randperm(32)], 8, 40)

    assert way(given, STORED) == "as loaded"


def test_an_order_is_known_by_the_tensor_it_was_made_from() -> None:
    given, held = cut(lambda x: x.flip(-1), 8, 40), cut(lambda x: x, 8, 40)

    assert way(given, held).startswith("in another order")


def test_rows_of_a_larger_tensor_in_another_order_are_not_known() -> None:
    given = cut(lambda x: x.flip(-1), 8, 40)

    assert way(given, STORED) == ""


def test_what_is_given_is_no_source_of_itself() -> None:
    given = cut(lambda x: x, 8, 40)

    assert way(given, given) == ""


def test_arrays_count_too() -> None:
    given, held = cut(lambda x: x.flip(-1), 8, 40), STORED[8:40].numpy()

    assert way(given, held).startswith("in another order")  # type: ignore[arg-type]  # whatever has rows will do
