from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.activations_grow import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import ActivationTrack, ModuleState

BASE = ActivationTrack(
    rank=1,
    step=999,
    looks=5,
    modules=(
        ModuleState(
            name="body.1",
            kind="ReLU",
            looks=5,
            dead=0.0,
            saturated=0.0,
            saturated_start=0.1,
            rms_start=1.0,
            rms_now=500.0,
            absmax=2000.0,
            half=False,
        ),
    ),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the outputs of `body.1` have a root mean square of 500 (largest 2e+03); at the first look it was 1"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"modules": (replace(BASE.modules[0], looks=1),)},
        {
            "modules": (
                replace(BASE.modules[0], rms_start=0.02, rms_now=3.0),
                *[replace(BASE.modules[0], rms_now=1.0)] * 2,
            )
        },
        {"modules": ()},
    ],
    ids=["a single look", "began near zero and came up to the others", "nothing was read"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"modules": (replace(BASE.modules[0], rms_now=99.0),)}, 0),
        ({"modules": (replace(BASE.modules[0], rms_now=101.0),)}, 1),
    ],
)
def test_each_side_of_times(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"modules": (replace(BASE.modules[0], rms_now=1.0, half=True, absmax=6499.0),)}, 0),
        ({"modules": (replace(BASE.modules[0], rms_now=1.0, half=True, absmax=6501.0),)}, 1),
    ],
)
def test_each_side_of_half_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
