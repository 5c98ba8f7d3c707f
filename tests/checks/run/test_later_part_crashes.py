from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.later_part_crashes import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.rehearsal import Rehearsal

CALLER, LINE = Site(file="train.py", line=40, function="main"), Site(file="train.py", line=12, function="evaluate")
CRASHED = Rehearsal(
    reached_end=False,
    crashed=True,
    own=True,
    message="AttributeError: 'Net' object has no attribute 'predict'",
    site=LINE,
    trace=(Site(file="train.py", line=50, function="<module>"), CALLER, LINE),
    steps=8,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CRASHED, **changes), CHECK.limits))


def test_tells_the_error_at_its_line_and_the_way_there() -> None:
    (evidence,) = found()

    assert (evidence.where.file, evidence.where.line) == ("train.py", 12)
    assert "no attribute 'predict' in `evaluate` (train.py:12), called by `main` (train.py:40)" in evidence.saw
    assert evidence.cause is None


def test_a_well_known_error_has_its_cause() -> None:
    (evidence,) = found(message="RuntimeError: Error(s) in loading state_dict for Net: size mismatch")

    assert evidence.cause == "train-checkpoint"


@pytest.mark.parametrize("changes", [{"own": False}, {"crashed": False}, {"crashed": False, "reached_end": True}])
def test_what_shortening_may_have_caused_is_no_finding(changes: dict[str, bool]) -> None:
    assert found(**changes) == []
