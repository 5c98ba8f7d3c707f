"""How long training waits for its batches, from one with a step behind it to the next; and which rows they are."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Subset, TensorDataset

from firstlight.observe.inside.taps import loaders
from firstlight.observe.inside.taps.loaders import Loaders, Waits


def waits(step: int = 0, full: bool = False) -> tuple[Waits, Any]:
    observer: Any = SimpleNamespace(step=step, full=full)
    return Waits(observer), observer


def test_waiting_and_the_time_between_are_added_up() -> None:
    counted, observer = waits()
    loader = object()
    for number in range(4):
        observer.step = number
        counted.add(loader, begun=number + 0.2, ended=number + 1.0)

    assert (counted.batches, round(counted.waited, 6), round(counted.elapsed, 6)) == (3, 2.4, 3.0)


def test_batches_without_a_step_between_are_an_evaluation() -> None:
    counted, _ = waits(step=5)
    for number in range(4):
        counted.add("validation", begun=number + 0.2, ended=number + 1.0)

    assert counted.batches == 0


def test_steps_that_were_watched_closely_do_not_count() -> None:
    counted, observer = waits(full=True)
    for number in range(4):
        observer.step = number
        counted.add("training", begun=number + 0.2, ended=number + 1.0)

    assert counted.batches == 0


@pytest.fixture
def followed() -> Any:
    """An iterator whose methods are replaced, and not those of all."""
    kind: Any = type("Followed", (torch.utils.data.dataloader._SingleProcessDataLoaderIter,), {})
    loaders._follow_rows(kind)
    return kind


@pytest.mark.parametrize(("size", "rows"), [(4, 12), (5, 12)])
def test_the_rows_of_a_batch_are_those_of_what_a_part_was_taken_from(followed: Any, size: int, rows: int) -> None:
    whole = TensorDataset(torch.arange(100))
    part = Subset(Subset(whole, range(50, 100)), list(range(0, 2 * rows, 2)))
    iterator = followed(DataLoader(part, batch_size=size, shuffle=True))

    for (values,) in iterator:
        assert loaders._rows_of(iterator) == tuple(values.tolist())


def test_rows_that_are_not_known_are_not_told(followed: Any) -> None:
    iterator = followed(DataLoader(TensorDataset(torch.arange(9)), batch_size=None))
    next(iterator)

    assert loaders._rows_of(iterator) == ()
    assert loaders._rows_of(iter(DataLoader(TensorDataset(torch.arange(9))))) == ()


def numbers(*begun: "DataLoader[Any] | int") -> list[int]:
    """Of loaders in the order they begin; a number of examples is a loader that is gone afterwards."""
    told: list[Any] = []
    tap = Loaders(SimpleNamespace(emit=told.append))  # type: ignore[arg-type]
    for one in begun:
        tap.began(one if isinstance(one, DataLoader) else DataLoader(TensorDataset(torch.zeros(one))))
    return [seen.loader for seen in told]


def test_loaders_have_numbers_of_their_own_also_after_others_are_gone() -> None:
    kept = DataLoader(TensorDataset(torch.zeros(4)))

    assert numbers(8, kept, 8, kept, 6) == [0, 1, 0, 1, 2]  # made anew for each epoch, it is the same


def test_loaders_that_live_side_by_side_are_two() -> None:
    one, other = (DataLoader(TensorDataset(torch.zeros(4))) for _ in range(2))

    assert numbers(one, other, one) == [0, 1, 0]
