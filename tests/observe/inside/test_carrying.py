"""A batch is followed from its loader to the model."""

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from firstlight.observe.inside.carrying import Carrying, way_of

CLASSES = torch.arange(16) % 4


def images() -> Tensor:
    return torch.randn(16, 1, 8, 8)


WAYS: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "nothing": (lambda x: x, "as loaded"),
    "flat": (lambda x: x.flatten(1), "as loaded"),
    "a factor": (lambda x: x / 100, "as loaded"),
    "an offset": (lambda x: x * 2 - 3, "as loaded"),
    "moved": (lambda x: x.roll(3, -1), "in another order (place 5 at place 0, …)"),
    "transposed": (lambda x: x.transpose(2, 3), "in another order (place 8 at place 1, …)"),
    "sorted": (lambda x: x.sort(-1).values, "sorted by value within each example"),
}
UNKNOWN: dict[str, Callable[[Tensor], Tensor]] = {
    "noise": lambda x: x + torch.randn_like(x),
    "other rows": lambda x: x[torch.randperm(16)],
    "cut": lambda x: x[..., :4],
    "not finite": lambda x: x * torch.inf,
    "of one value": torch.zeros_like,
}


@pytest.mark.parametrize(("change", "told"), WAYS.values(), ids=WAYS)
def test_a_rule_is_known(change: Callable[[Tensor], Tensor], told: str) -> None:
    torch.manual_seed(0)
    loaded = images()
    way = way_of(change(loaded), [CLASSES, loaded])

    assert way is not None
    assert way.told() == told


@pytest.mark.parametrize("change", UNKNOWN.values(), ids=UNKNOWN)
def test_whatever_is_no_rule_is_not_known(change: Callable[[Tensor], Tensor]) -> None:
    torch.manual_seed(0)
    loaded = images()

    assert way_of(change(loaded), [CLASSES, loaded]) is None


def carried(train: Callable[[Tensor], Tensor], *evaluate: Callable[[Tensor], Tensor]) -> Carrying:
    torch.manual_seed(0)
    found = Carrying()
    for _ in range(4):
        for training, changes in ((True, (train,)), (False, evaluate)):
            for change in changes:
                loaded = images() * (torch.rand(1, 1, 8, 8) < 0.8)  # here and there a pixel is the same in all rows
                found.add(training, change(loaded), [loaded, CLASSES])
    return found


def same(given: Tensor) -> Tensor:
    return given


def test_a_rule_of_training_alone_is_told() -> None:
    seen = carried(lambda x: x.roll(3, -1), same).seen()

    assert (seen.apart, seen.calls) == (True, 4)
    assert seen.evaluation == "as loaded"


def test_and_one_of_evaluation_alone() -> None:
    assert carried(same, lambda x: x.sort(-1).values).seen().apart


def test_the_same_rule_on_both_sides_is_fine() -> None:
    assert not carried(lambda x: x.flip(-1), lambda x: x.flip(-1)).seen().apart
    assert not carried(lambda x: x.sort(-1).values, lambda x: x.sort(-1).values).seen().apart


def test_one_of_several_evaluations_on_changed_inputs_is_fine() -> None:
    assert not carried(same, same, lambda x: x.flip(-1)).seen().apart


def test_augmentation_is_no_rule() -> None:
    turns = itertools.cycle((True, False))

    assert carried(lambda x: x.flip(-1) if next(turns) else x, same).seen().training == ""
    assert carried(lambda x: x + 0.1 * torch.randn_like(x), same).seen().training == ""


def test_a_few_rows_at_the_end_of_an_epoch_change_nothing() -> None:
    found = carried(lambda x: x.flip(-1), same)
    found.add(False, images()[:4] + 1, [images()[:4]])

    assert found.seen().apart


def test_one_side_alone_says_nothing() -> None:
    assert not carried(lambda x: x.flip(-1)).seen().apart


def test_axes_that_are_exchanged_are_told_from_another_order() -> None:
    turned = carried(same, lambda x: x.transpose(-1, -2)).seen()

    assert (turned.apart, turned.turned) == (True, True)
    assert carried(lambda x: x.transpose(-1, -2), same).seen().turned
    assert not carried(same, lambda x: x.flip(-1)).seen().turned
    assert not carried(same, same).seen().apart
