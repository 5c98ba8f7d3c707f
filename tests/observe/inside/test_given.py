"""Whether steps are given the same tensors again, or others."""

import numpy as np
import pytest
import torch

from firstlight.observe.inside.given import LastGiven

MEMORY = np.arange(12.0).reshape(4, 3)
WHOLE = torch.arange(12.0).reshape(4, 3)


def again(first: torch.Tensor, second: torch.Tensor) -> bool:
    given = LastGiven()
    given.again([first])
    return given.again([second])


def test_at_first_nothing_is_given_again() -> None:
    assert not LastGiven().again([WHOLE])


@pytest.mark.parametrize(
    ("first", "second"),
    [(WHOLE, WHOLE), (WHOLE.view(-1), WHOLE.view(-1)), (WHOLE, WHOLE[:])],
    ids=["one tensor", "views of one", "a tensor and a view of it"],
)
def test_what_is_kept_once_is_the_same(first: torch.Tensor, second: torch.Tensor) -> None:
    assert again(first, second)


def test_a_tensor_made_anew_around_the_same_memory_is_the_same() -> None:
    given = LastGiven()
    given.again([torch.from_numpy(MEMORY)])
    assert given.again([torch.from_numpy(MEMORY)])


def test_two_that_are_kept_side_by_side_around_the_same_memory_are_not() -> None:
    batches = [torch.from_numpy(MEMORY) for _ in range(2)]
    assert not again(*batches)


def test_a_copy_is_another() -> None:
    assert not again(WHOLE, WHOLE.clone())


def test_the_greater_part_decides() -> None:
    small, large = torch.zeros(2), torch.zeros(8)
    given = LastGiven()
    given.again([small, large])
    assert given.again([torch.zeros(2), large])
    assert not given.again([small, torch.zeros(8)])
