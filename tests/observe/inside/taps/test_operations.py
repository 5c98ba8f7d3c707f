"""The mode that sees every call of torch lies on the stack once, whenever steps end."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.taps.operations import Operations


def depth() -> int:
    return int(torch._C._len_torch_function_stack())


@pytest.fixture
def mode() -> Iterator[Operations]:
    observer: Any = SimpleNamespace(reading=False, inert=False, in_backward=False, full=True, finished=False)
    walked: Any = SimpleNamespace(lines={}, copied_to=set())
    made = Operations(observer, walked)
    yield made
    while made.on:
        made._pop()


def test_a_step_that_ends_within_a_call_pushes_nothing(mode: Operations, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a program has no optimizer, and each backward is a step."""
    monkeypatch.setattr(torch.autograd, "backward", lambda *_, **__: mode.follow())
    mode.begin()
    assert depth() == 1

    for _ in range(5):
        torch.ones(3, requires_grad=True).sum().backward()
        assert depth() == 1


def test_it_goes_and_comes_with_the_steps_that_are_looked_at(mode: Operations) -> None:
    mode.begin()
    depths = []
    for full in (True, False, False, True):
        mode.observer.full = full  # type: ignore[misc]
        mode.follow()
        depths.append(depth())

    assert depths == [1, 0, 0, 1]
    assert mode.on


def test_a_call_that_raises_leaves_it_where_it_was(mode: Operations) -> None:
    mode.begin()
    with pytest.raises(RuntimeError):
        torch.ones(2) @ torch.ones(3)
    mode.observer.full = False  # type: ignore[misc]
    mode.follow()

    assert depth() == 0
    assert not mode.on
