"""Selectors of every manner of writing them, and what is planted for them to find."""

from types import SimpleNamespace
from typing import Any

import pytest

import firstlight as fl
from firstlight.checks.learning import selector_misses_best
from firstlight.experiments.declared.selecting import selecting
from firstlight.records.declared import SelectorTried


class Selector:
    def __init__(self) -> None:
        self.seen: list[tuple[float, int]] = []

    def select(self) -> int:
        return max(self.seen)[1]


class BySortino(Selector):
    def record(self, epoch: int, sortino: float, sparsity: float) -> None:
        self.seen.append((sortino - 0 * sparsity, epoch))


class ByCost(Selector):
    def record(self, epoch: int, cost: float) -> None:
        self.seen.append((-cost, epoch))


class AsksForOne(Selector):
    def record(self, epoch: int, **metrics: float) -> None:
        self.seen.append((metrics["sharpe"] + 0 * metrics["turnover"], epoch))


class Declared(AsksForOne):
    metric = "sortino"

    def record(self, epoch: int, **metrics: float) -> None:
        self.seen.append((metrics[self.metric], epoch))


class ByAccuracy(Selector):
    def record(self, epoch: int, accuracy: float, val_loss: float) -> None:
        self.seen.append((accuracy, epoch))


class LargestLoss(Selector):
    def record(self, epoch: int, val_loss: float, sortino: float = 0.0) -> None:
        self.seen.append((val_loss, epoch))


class SmallestAccuracy(Selector):
    def record(self, epoch: int, accuracy: float) -> None:
        self.seen.append((-accuracy, epoch))


class Last(Selector):
    def record(self, epoch: int, sortino: float) -> None:
        self.seen.append((epoch, epoch))


class Declines(Selector):
    metric, lower_is_better = "sortino", True

    def record(self, epoch: int, sortino: float) -> None:
        self.seen.append((sortino, epoch))


def tried(given: Any) -> SelectorTried:
    found: list[SelectorTried] = []
    selecting(SimpleNamespace(experiment=SimpleNamespace(selector=given), emit=found.append))  # type: ignore[arg-type]
    return found[0]


def told(given: Any) -> list[str]:
    return [one.saw for one in selector_misses_best.find(tried(given), selector_misses_best.CHECK.limits)]


@pytest.mark.parametrize(
    "given",
    [BySortino, BySortino(), ByCost, AsksForOne, Declared, ByAccuracy, fl.BestEpoch, fl.BestEpoch(smoothing=3)],
)
def test_what_chooses_well_is_quiet_whatever_it_goes_by(given: Any) -> None:
    assert told(given) == []


@pytest.mark.parametrize("given", [LargestLoss, SmallestAccuracy, Last, Declines])
def test_what_chooses_badly_is_told(given: Any) -> None:
    assert "planted best epochs are found" in told(given)[0]


def test_what_it_goes_by_is_asked() -> None:
    assert (tried(BySortino).metric, tried(BySortino).lower_is_better) == ("sortino", False)
    assert (tried(ByCost).metric, tried(ByCost).lower_is_better) == ("cost", True)
