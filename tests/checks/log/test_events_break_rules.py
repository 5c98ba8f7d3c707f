import pytest
from msgspec.structs import replace

from firstlight.checks.log.events_break_rules import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.log import LogFault, LogSeen

FAULT = LogFault(kind="lacking", line=7, phase="step", field="loss", times=3, saw="this", wanted="that")


def found(kind: str) -> list[Evidence]:
    return list(CHECK.find(LogSeen(file="run.ndjson", rules="any", faults=(replace(FAULT, kind=kind),)), CHECK.limits))


@pytest.mark.parametrize("kind", ["absent", "lacking", "mistyped"])
def test_tells_the_first_line_and_how_often(kind: str) -> None:
    (evidence,) = found(kind)

    assert (evidence.where.file, evidence.where.line) == ("run.ndjson", 7)
    assert (evidence.saw, evidence.wanted) == ("this, 3 times", "that")
    assert evidence.numbers == {"times": 3, "phase": "step", "field": "loss"}


def test_each_kind_has_its_own_repair() -> None:
    (absent,), (lacking,), (mistyped,) = map(found, ("absent", "lacking", "mistyped"))

    assert absent.do is not None
    assert absent.do.startswith("write the event")
    assert lacking.do is None
    assert mistyped.do == "write `value.item()` or `float(value)`"


def test_other_faults_are_left_to_other_checks() -> None:
    assert found("another") == []
