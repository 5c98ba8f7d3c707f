"""Second models beside the one in training, as they are met and looked at."""

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.copies import CopiedModels
from firstlight.experiments.inside.shortening.rounds import Loop
from firstlight.records.copies import CopySeen


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))


def trained(
    made: Callable[[nn.Module], nn.Module],
    update: Callable[[nn.Module, nn.Module], None],
    steps: int = 5,
    every: int = 1,
    goes_over: bool = False,
    to_end: bool = True,
) -> list[CopySeen]:
    """What is told of a copy that is made of a model, asked before each step, and updated after it."""
    torch.manual_seed(0)
    model = net()
    other = made(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    observer: Any = SimpleNamespace(step=0, optimizers=lambda: [SimpleNamespace(parameters=list(model.parameters()))])
    loop = Loop("train.py", 1, 9, may_be_left=False, passes=1, rounds=steps // every, planned=30)
    seen = CopiedModels(observer, lambda: (loop,))
    for at in range(steps):
        model(torch.randn(8, 3)).square().mean().backward()
        for module, training in ((model, True), (other, False)):
            call: Any = SimpleNamespace(module=module, training=training)
            seen.returned(call)
        optimizer.step()
        if at % every == 0:
            seen.touched(other, goes_over)
            with torch.no_grad():
                update(other, model)
        observer.step += 1
    return list(seen.seen(to_end))


def averaged(old: nn.Module, new: nn.Module) -> None:
    for one, other in zip(old.parameters(), new.parameters(), strict=True):
        one.lerp_(other, 0.1)


def nothing(_old: nn.Module, _new: nn.Module) -> None:
    """It is left as it was."""


def test_a_moving_average_moves_and_does_not_follow() -> None:
    (found,) = trained(copy.deepcopy, averaged)

    assert (found.looks, found.moved, found.followed, found.shared) == (4, 3, 0, 0)
    assert found.drift > 0
    assert found.name == "other"


def test_statistics_that_are_left_behind_are_counted_in_eval_mode_only() -> None:
    assert [one.stale for one in trained(lambda model: copy.deepcopy(model).eval(), averaged)] == [2]
    assert [one.stale for one in trained(copy.deepcopy, averaged)] == [0]


def test_one_that_is_left_as_it_was_began_equal_and_never_moves() -> None:
    (found,) = trained(copy.deepcopy, nothing)

    assert (found.began_equal, found.moved, found.touched) == (True, 0, 0)


def test_one_that_is_replaced_after_every_step_is_the_model() -> None:
    (found,) = trained(copy.deepcopy, lambda old, new: old.load_state_dict(new.state_dict()) and None)

    assert (found.followed, found.moved, found.stale) == (3, 3, 0)


def test_a_shell_around_the_same_weights_shares_them() -> None:
    (found,) = trained(copy.copy, nothing)

    assert (found.shared, found.tensors) == (6, 6)


def test_another_model_is_no_copy() -> None:
    assert trained(lambda _: nn.Linear(3, 1), nothing) == []


def test_what_began_elsewhere_is_told_apart() -> None:
    (found,) = trained(lambda _: net(), nothing)

    assert not found.began_equal


def test_a_write_that_changes_nothing_is_a_write_and_a_look_at_what_it_holds_is_none() -> None:
    def unmixed(old: nn.Module, new: nn.Module) -> None:
        for one, other in zip(old.parameters(), new.parameters(), strict=True):
            one.lerp_(other, 0.0)

    def read(old: nn.Module, _new: nn.Module) -> None:
        old.state_dict()

    (written,) = trained(copy.deepcopy, unmixed)
    (kept,) = trained(copy.deepcopy, read)

    assert (written.moved, written.touched) == (0, 3)
    assert (kept.moved, kept.touched) == (0, 0)


@pytest.mark.parametrize("every", [1, 4])
def test_how_far_an_average_goes_with_each_update(every: int) -> None:
    (copied,) = trained(copy.deepcopy, averaged, steps=20, every=every)

    assert copied.mixed_in is not None
    assert 0.099 < copied.mixed_in < 0.2  # the larger of two readings, one of which is right


def test_how_many_updates_are_planned_is_known_at_the_end() -> None:
    (copied,), (stopped,) = (
        trained(copy.deepcopy, averaged, 12, every=2, goes_over=True, to_end=end) for end in (True, False)
    )

    assert (copied.planned, stopped.planned) == (25, None)  # five of six rounds of thirty: the first was not a copy yet
    assert copied.called == 11


def test_one_that_stands_goes_nowhere() -> None:
    (copied,) = trained(copy.deepcopy, nothing)

    assert copied.mixed_in is None


class Task(nn.Module):
    """What is called, around the network that is averaged."""

    def __init__(self) -> None:
        super().__init__()
        self.net = net()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        answer: torch.Tensor = self.net(x)
        return answer


def swapped_in(update: Callable[[nn.Module, nn.Module], None]) -> list[CopySeen]:
    """Of a copy of the network alone that takes its place for an evaluation."""
    torch.manual_seed(0)
    task = Task()
    live, shadow = task.net, copy.deepcopy(task.net).eval()
    optimizer = torch.optim.SGD(live.parameters(), lr=0.1)
    observer: Any = SimpleNamespace(step=0, optimizers=lambda: [SimpleNamespace(parameters=list(live.parameters()))])
    seen = CopiedModels(observer, lambda: ())
    for _ in range(5):
        task(torch.randn(8, 3)).square().mean().backward()
        seen.returned(called(task, training=True))
        optimizer.step()
        observer.step += 1
        seen.touched(shadow, goes_over=True)
        with torch.no_grad():
            update(shadow, live)
        task.net = shadow
        seen.returned(called(task, training=False))
        task.net = live
        shadow.state_dict()
        seen.touched(shadow[:2], goes_over=False)
    return list(seen.seen(to_end=True))


def called(module: nn.Module, training: bool) -> Any:
    return SimpleNamespace(module=module, training=training)


def with_statistics(old: nn.Module, new: nn.Module) -> None:
    averaged(old, new)
    for one, other in zip(old.buffers(), new.buffers(), strict=True):
        one.copy_(other)


def test_a_network_that_is_put_into_what_is_called_is_a_copy_of_the_one_it_replaces() -> None:
    (stale,) = swapped_in(averaged)
    assert (stale.statistics, stale.stale, stale.began_equal) == (2, 2, True)
    assert stale.moved > 0

    (brought_along,) = swapped_in(with_statistics)
    assert brought_along.stale == 0
