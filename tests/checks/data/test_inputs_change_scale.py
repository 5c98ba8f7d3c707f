from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.inputs_change_scale import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import InputTrack

BASE = InputTrack(rank=1, step=999, batches=500, usual=1.0, least=100.0, most=120.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert (
        evidence.saw == "the inputs of the last eight batches have a root mean square of 100 or more; it was usually 1"
    )
    assert evidence.where.rank == 1


def test_tells_of_smaller_ones() -> None:
    (evidence,) = found(usual=1e5)

    assert (
        evidence.saw
        == "the inputs of the last eight batches have a root mean square of 120 or less; it was usually 1e+05"
    )


@pytest.mark.parametrize("changes", [{"least": 0.5, "most": 500.0}, {"least": 15.0, "most": 500.0}])
def test_a_single_batch_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(("changes", "times"), [({"batches": 63}, 0), ({"batches": 64}, 1)])
def test_each_side_of_batches(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"least": 20.0}, 0),
        ({"least": 20.1}, 1),
        ({"least": 0.01, "most": 0.05}, 0),
        ({"least": 0.01, "most": 0.049}, 1),
    ],
)
def test_each_side_of_times(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
