from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.units_saturate import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import ActivationTrack, ModuleState

BASE = ActivationTrack(
    rank=1,
    step=999,
    looks=5,
    modules=(
        ModuleState(
            name="body.1",
            kind="Tanh",
            looks=5,
            dead=0.0,
            saturated=0.95,
            saturated_start=0.1,
            rms_start=1.0,
            rms_now=1.0,
            absmax=5.0,
            half=False,
        ),
    ),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("95% of the outputs of `body.1` (Tanh) sit at its flat ends; at the first look 10% did")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"modules": ()}],
    ids=["no module"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"modules": (replace(BASE.modules[0], saturated=0.89),)}, 0),
        ({"modules": (replace(BASE.modules[0], saturated=0.9),)}, 1),
    ],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"modules": (replace(BASE.modules[0], saturated=0.95, saturated_start=0.86),)}, 0),
        ({"modules": (replace(BASE.modules[0], saturated=0.95, saturated_start=0.84),)}, 1),
    ],
)
def test_each_side_of_growth(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_layer_that_began_there_is_told() -> None:
    assert len(found(modules=(replace(BASE.modules[0], saturated_start=0.95),))) == 1
