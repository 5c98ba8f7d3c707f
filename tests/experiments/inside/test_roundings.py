"""Updates in half precision, beside the same ones in full precision."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.experiments.inside import roundings
from firstlight.observe.inside import sites
from firstlight.records.rounded import RoundedAway

STEPS = 20
Update = Callable[[torch.Tensor, torch.Tensor], Any]


@pytest.fixture(autouse=True)
def patched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every line is a program's, and the methods of tensors are put back."""
    monkeypatch.setattr(sites, "is_users", lambda _: True)
    kept = {name: getattr(torch.Tensor, name) for name in roundings.METHODS}
    yield
    for name, method in kept.items():
        setattr(torch.Tensor, name, method)


def kept(update: Update, dtype: torch.dtype = torch.bfloat16, away: float = 0.1) -> list[RoundedAway]:
    """What is told of a tensor that goes towards one that is so much larger, in each of some steps."""
    torch.manual_seed(0)
    observer: Any = SimpleNamespace(step=0, reading=False, shielded=lambda _, function: function)
    seen = roundings.install(observer)
    held = (1 + torch.rand(40, 30)).to(dtype)
    aim = held.float() * (1 + away)
    for _ in range(STEPS):
        update(held, aim.to(dtype))
        observer.step += 1
    return list(seen.seen())


def test_small_steps_of_an_average_are_lost() -> None:
    (found,) = kept(lambda held, aim: held.lerp_(aim, 0.005))

    assert found.missed > 0.9
    assert found.nearest == pytest.approx(2**-8 / 0.005, rel=0.05)
    assert (found.updates, found.tensors, found.dtype) == (STEPS, 1, "bfloat16")


def test_however_they_are_written() -> None:
    (found,) = kept(lambda held, aim: held.mul_(0.998).add_(aim, alpha=0.002))

    assert found.missed > 0.5
    assert found.nearest is not None
    assert found.nearest > 1


def test_large_steps_arrive() -> None:
    (found,) = kept(lambda held, aim: held.lerp_(aim, 0.3), away=2.0)

    assert found.missed < 0.1
    assert found.nearest is not None
    assert found.nearest < 0.02


def test_a_sum_keeps_everything_and_loses_what_is_small() -> None:
    def add(held: torch.Tensor, _aim: torch.Tensor) -> None:
        held += 0.002

    (found,) = kept(add)

    assert found.missed > 0.9
    assert found.nearest is None


@pytest.mark.parametrize(
    ("update", "dtype"),
    [
        (lambda held, aim: held.lerp_(aim, 0.005), torch.float32),
        (lambda held, aim: held.copy_(aim), torch.bfloat16),
        (lambda _held, aim: torch.zeros_like(aim).add_(aim), torch.bfloat16),
    ],
)
def test_full_precision_casts_and_what_is_made_anew_are_not_followed(update: Update, dtype: torch.dtype) -> None:
    assert kept(update, dtype) == []


def test_what_somebody_else_writes_begins_a_new_life() -> None:
    def reset(held: torch.Tensor, aim: torch.Tensor) -> None:
        held.lerp_(aim, 0.005)
        held.copy_(torch.rand_like(held))

    assert kept(reset) == []
