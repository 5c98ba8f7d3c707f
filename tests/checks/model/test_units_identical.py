from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.units_identical import CHECK
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


def found(*looks: Movement) -> list[Evidence]:
    return list(CHECK.find(motion(*looks), CHECK.limits))


ALIKE = moved("hidden.weight", alike=True)


def test_tells_the_matrix_and_its_rows() -> None:
    (evidence,) = found(look(10, ALIKE), look(30, ALIKE, moved("out.weight")))

    assert "after 30 steps all 8 rows of `hidden.weight` are exactly equal" in evidence.saw
    assert evidence.where.line == 9


def test_rows_that_were_told_apart_meanwhile_are_fine() -> None:
    assert found(look(10, ALIKE), look(30, moved("hidden.weight"))) == []


@pytest.mark.parametrize(("step", "times"), [(9, 0), (10, 1)])
def test_each_side_of_step(step: int, times: int) -> None:
    assert len(found(look(step, ALIKE), look(30, ALIKE))) == times


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(*[look(30, ALIKE)] * looks)) == times


@pytest.mark.parametrize(("rows", "times"), [(2, 0), (3, 1)])
def test_each_side_of_units(rows: int, times: int) -> None:
    few = moved("hidden.weight", alike=True, shape=(rows, 4))

    assert len(found(look(10, few), look(30, few))) == times


ZERO = moved("hidden.weight", weight=0.0)


def test_a_network_that_is_born_zero_is_told_though_noise_tells_its_units_apart() -> None:
    (evidence,) = found(look(2, ZERO, ZERO, moved("out.weight")), look(30, moved("hidden.weight")))

    assert evidence.saw == "`hidden.weight` and all 2 weight matrices before the last are zero after 2 steps"
    assert evidence.where.line == 9


@pytest.mark.parametrize(
    "tensors",
    [
        (ZERO, moved("hidden.2.weight"), moved("out.weight")),
        (ZERO, moved("out.weight")),
        (moved("hidden.bias", shape=(8,), weight=0.0), ZERO, moved("out.weight")),
    ],
    ids=["one branch ends in zero", "a single one", "biases are zero"],
)
def test_zeros_that_are_meant_are_fine(tensors: tuple[Moved, ...]) -> None:
    assert found(look(2, *tensors)) == []


@pytest.mark.parametrize(("step", "times"), [(2, 1), (3, 0)])
def test_each_side_of_born(step: int, times: int) -> None:
    assert len(found(look(step, ZERO, ZERO, moved("out.weight")))) == times
