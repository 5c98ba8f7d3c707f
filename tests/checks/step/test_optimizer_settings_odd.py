from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.optimizer_settings_odd import CHECK
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


def found(**settings: float) -> list[Evidence]:
    return list(CHECK.find(motion(look(2, moved("weight")), **settings), CHECK.limits))


def test_tells_the_setting_and_what_is_usual() -> None:
    (evidence,) = found(lr=1e-3, beta1=0.999, beta2=0.9, eps=1e-8)

    assert evidence.saw == "`SGD` has beta1 0.999"
    assert evidence.wanted == "about 0.9"
    assert evidence.where.line == 9


def test_usual_settings_are_fine() -> None:
    assert found(lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8) == []
    assert found(lr=0.1, momentum=0.9) == []
    assert found(lr=0.1) == []
    assert found(beta1=0.0, beta2=0.99) == []


@pytest.mark.parametrize(("momentum", "times"), [(0.98, 0), (0.99, 1)])
def test_each_side_of_momentum(momentum: float, times: int) -> None:
    assert len(found(momentum=momentum)) == times


@pytest.mark.parametrize(("beta1", "times"), [(0.95, 0), (0.98, 1)])
def test_each_side_of_beta1(beta1: float, times: int) -> None:
    assert len(found(beta1=beta1, beta2=0.999)) == times


@pytest.mark.parametrize(("beta2", "times"), [(0.89, 1), (0.91, 0)])
def test_each_side_of_beta2(beta2: float, times: int) -> None:
    assert len(found(beta1=0.5, beta2=beta2)) == times


@pytest.mark.parametrize(("eps", "times"), [(9e-4, 0), (1e-3, 1)])
def test_each_side_of_eps(eps: float, times: int) -> None:
    assert len(found(eps=eps)) == times


@pytest.mark.parametrize(
    ("settings", "confidence"),
    [
        ({"beta1": 0.998, "beta2": 0.9999}, None),
        ({"beta1": 0.999, "beta2": 0.9999}, 0.85),
        ({"momentum": 0.998}, None),
        ({"momentum": 0.999}, 0.85),
        ({"eps": 0.09}, None),
        ({"eps": 0.1}, 0.85),
    ],
)
def test_each_side_of_grave(settings: dict[str, float], confidence: float | None) -> None:
    (evidence,) = found(**settings)

    assert evidence.confidence == confidence
