from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.gradients_vanish import CHECK
from firstlight.records.facts import Motion
from firstlight.records.finding import Evidence
from firstlight.records.inner import Moved, Movement
from firstlight.records.places import Site

SITE = Site(file="train.py", line=9)


def moved(name: str, **changes: Any) -> Moved:
    usual = Moved(name=name, shape=(8, 4), dtype="float32", gradient=0.1, weight=0.2, update=2e-4, still=0.0)
    return replace(usual, **changes)


def look(step: int, *tensors: Moved) -> Movement:
    return Movement(step=step, optimizer=0, name="SGD", built=SITE, settings={"lr": 0.1}, tensors=tensors)


def motion(*looks: Movement, fell: float | None = 0.0, **settings: float) -> Motion:
    return Motion(optimizer="SGD", site=SITE, settings=settings, looks=looks, fell=fell, answered=True)


def found(first: float = 1e-12, step: int = 30, matrices: int = 6, fell: float | None = 0.0) -> list[Evidence]:
    """`first` is the step of the first layers, of weights of size 0.2; that of the last ones is 2e-4."""
    tensors = [moved(f"{place}.weight", update=first if place < matrices / 2 else 2e-4) for place in range(matrices)]
    return list(CHECK.find(motion(look(step, *tensors), fell=fell), CHECK.limits))


def test_tells_how_far_the_first_and_the_last_layers_move() -> None:
    (evidence,) = found()

    assert (
        "the first layers (`0.weight`) move by 5.0e-12 of their size, the last (`5.weight`) by 1.0e-03" in evidence.saw
    )


def test_biases_are_not_layers() -> None:
    biases = [moved(f"{place}.bias", shape=(8,), update=0.0) for place in range(9)]

    assert list(CHECK.find(motion(look(30, *biases)), CHECK.limits)) == []


def test_where_no_layer_moves_it_is_the_rate() -> None:
    still = [moved(f"{place}.weight", update=0.0) for place in range(6)]

    assert list(CHECK.find(motion(look(30, *still)), CHECK.limits)) == []


def test_a_loss_that_is_not_known_is_not_judged() -> None:
    assert found(fell=None) == []


@pytest.mark.parametrize(("fell", "times"), [(0.06, 0), (0.05, 1), (-0.5, 1)])
def test_each_side_of_fell(fell: float, times: int) -> None:
    assert len(found(fell=fell)) == times


@pytest.mark.parametrize(("step", "times"), [(9, 0), (10, 1)])
def test_each_side_of_step(step: int, times: int) -> None:
    assert len(found(step=step)) == times


@pytest.mark.parametrize(("matrices", "times"), [(3, 0), (4, 1)])
def test_each_side_of_matrices(matrices: int, times: int) -> None:
    assert len(found(matrices=matrices)) == times


@pytest.mark.parametrize(("first", "times"), [(1.9e-7, 1), (2.1e-7, 0)])
def test_each_side_of_stands(first: float, times: int) -> None:
    assert len(found(first=first)) == times


@pytest.mark.parametrize(("last", "times"), [(0.9e-4, 0), (1.1e-4, 1)])
def test_each_side_of_shrinks(last: float, times: int) -> None:
    tensors = [moved(f"{place}.weight", update=1e-7 if place < 3 else last) for place in range(6)]

    assert len(list(CHECK.find(motion(look(30, *tensors)), CHECK.limits))) == times
