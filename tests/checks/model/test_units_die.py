from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.units_die import CHECK
from firstlight.records.finding import Evidence, Severity
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
            dead=0.8,
            saturated=0.0,
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

    assert evidence.saw == ("80% of the units of `body.1` were zero for every example at three looks in a row")
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
    [({"modules": (replace(BASE.modules[0], dead=0.59),)}, 0), ({"modules": (replace(BASE.modules[0], dead=0.6),)}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("dead", "severity"), [(0.94, None), (0.95, Severity.ERROR)])
def test_each_side_of_severe(dead: float, severity: Severity | None) -> None:
    (evidence,) = found(modules=(replace(BASE.modules[0], dead=dead),))

    assert evidence.severity is severity
