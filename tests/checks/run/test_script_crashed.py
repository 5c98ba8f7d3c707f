from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.script_crashed import CHECK
from firstlight.records.facts import ScriptOutcome
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

CRASHED = ScriptOutcome(
    ended="crashed",
    exit_code=1,
    seconds=2.5,
    backwards=15,
    steps=15,
    message="RuntimeError: Expected hidden size (1, 20, 16), got [1, 32, 16]",
    site=Site(file="train.py", line=19),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CRASHED, **changes), CHECK.limits))


def test_tells_the_error_its_line_and_how_far_training_came() -> None:
    (evidence,) = found()

    assert evidence.saw == f"{CRASHED.message} (after 15 training steps)"
    assert evidence.wanted == "a script that runs until it is stopped"
    assert (evidence.where.file, evidence.where.line, evidence.where.step) == ("train.py", 19, 15)
    assert evidence.do is None


def test_before_training_there_is_no_step() -> None:
    (evidence,) = found(steps=0, backwards=0)

    assert "before the first training step" in evidence.saw
    assert evidence.where.step is None


def test_a_signal_leaves_no_message_but_a_code() -> None:
    (evidence,) = found(ended="killed", exit_code=-9, message="")

    assert evidence.saw.startswith("exit code -9")


def test_a_script_that_waits_for_input_is_told_so() -> None:
    (evidence,) = found(wants_input=True)

    assert evidence.do is not None
    assert "standard input" in evidence.do


@pytest.mark.parametrize("ended", ["stopped", "finished", "silent"])
def test_other_endings_are_not_crashes(ended: str) -> None:
    assert found(ended=ended) == []
