from typing import Any

from msgspec.structs import replace

from firstlight.checks.run.probe_overruns import CHECK
from firstlight.records.declared import ProbeEnded
from firstlight.records.finding import Evidence

ENDED = ProbeEnded(
    name="smoke", seconds=61.0, typical_seconds=0.5, most_seconds=60.0, overran=True, action="use less", fault=""
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ENDED, **changes), CHECK.limits))


def test_tells_the_time_and_the_action() -> None:
    (evidence,) = found()

    assert evidence.saw == "the probe `smoke` was stopped after 61.0 s"
    assert evidence.wanted == "about 0.5 s, at most 60 s"
    assert evidence.do == "use less"


def test_one_that_ended_by_itself_is_fine() -> None:
    assert found(overran=False) == []


def test_a_fault_is_ours() -> None:
    (evidence,) = found(overran=False, fault="KeyError: 'x'")

    assert evidence.cause == "unknown"
    assert "KeyError" in evidence.saw
