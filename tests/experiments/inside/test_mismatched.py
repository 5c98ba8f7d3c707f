"""Examples get the inputs of others, and the same ones whenever they come again."""

import pytest
import torch

from firstlight.experiments.inside import mismatched
from firstlight.experiments.inside.mismatched import Swaps


def given(swaps: Swaps, *tensors: torch.Tensor) -> list[torch.Tensor]:
    args, _ = swaps.hook(torch.nn.Identity(), tensors, {})
    return list(args)


def test_an_example_meets_the_same_inputs_of_another_whenever_it_comes_again() -> None:
    swaps, values = Swaps(), torch.arange(16.0).reshape(16, 1)
    (first,) = given(swaps, values)
    order = torch.randperm(16)
    (again,) = given(swaps, values[order])

    assert sorted(first.flatten().tolist()) == values.flatten().tolist()
    assert not torch.equal(first, values)
    assert torch.equal(again, first[order])


def test_a_stored_example_is_the_same_whatever_is_done_to_it() -> None:
    places = torch.arange(16)
    swaps, values = Swaps(lambda _: places.tolist()), torch.arange(16.0).reshape(16, 1)
    (first,) = given(swaps, values)
    places = torch.randperm(16)
    (again,) = given(swaps, torch.randn(16, 1))

    assert torch.equal(again, first[places])


def test_all_inputs_of_an_example_come_from_the_same_other_one() -> None:
    values = torch.arange(16.0).reshape(16, 1)
    first, second = given(Swaps(), values, -values)
    assert torch.equal(first, -second)


def test_what_has_no_row_for_each_example_stays() -> None:
    values, table = torch.arange(16.0).reshape(16, 1), torch.ones(3, 2)
    _, same, scalar = given(Swaps(), values, table, torch.tensor(2.0))
    assert same is table
    assert scalar == 2


def test_examples_beyond_the_room_are_put_out_of_order_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mismatched, "MOST_BYTES", 0)
    swaps, values = Swaps(), torch.arange(64.0).reshape(64, 1)
    assert not torch.equal(given(swaps, values)[0], given(swaps, values)[0])


def test_inputs_of_another_length_are_taken_from_the_batch_at_hand() -> None:
    swaps, short = Swaps(), torch.arange(1.0, 5.0).reshape(4, 1)
    given(swaps, short)
    padded = torch.cat([short, torch.zeros(4, 2)], 1)
    assert given(swaps, padded)[0].shape == padded.shape


def test_nothing_is_changed_without_gradients_or_for_one_example() -> None:
    values = torch.arange(16.0).reshape(16, 1)
    with torch.no_grad():
        assert Swaps().hook(torch.nn.Identity(), (values,), {}) is None
    assert torch.equal(given(Swaps(), values[:1])[0], values[:1])
