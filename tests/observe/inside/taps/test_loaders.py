"""How long training waits for its batches, from one with a step behind it to the next."""

from types import SimpleNamespace
from typing import Any

from firstlight.observe.inside.taps.loaders import Waits


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
