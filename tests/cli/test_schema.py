"""`firstlight schema`: what is printed is a JSON Schema, and our records obey it."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from firstlight.cli.main import run
from firstlight.cli.schema import RECORDS
from firstlight.records import wire
from firstlight.records.program import ProcessSeen
from firstlight.records.report import REPORT_SCHEMA, Coverage, Report, Subject, Timing, Verdict


def printed(capsys: pytest.CaptureFixture[str], record: str) -> dict[str, Any]:
    assert run(["schema", record]) == 0
    schema: dict[str, Any] = json.loads(capsys.readouterr().out)
    return schema


@pytest.mark.parametrize("record", RECORDS)
def test_it_is_a_schema(record: str, capsys: pytest.CaptureFixture[str]) -> None:
    schema = printed(capsys, record)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == RECORDS[record][1]


def test_a_report_obeys_it_with_numbers_that_are_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    validator = Draft202012Validator(printed(capsys, "report"))
    report = Report(
        schema=REPORT_SCHEMA,
        subject=Subject(kind="script", command=("train.py",)),
        verdict=Verdict.CLEAN,
        findings=(),
        diagnosis=(),
        checks=(),
        coverage=Coverage(seconds=float("nan")),
        timing=Timing(started="2026-01-01T00:00:00Z", seconds=float("inf")),
        environment={},
    )
    plain = wire.to_plain(report)
    validator.validate(plain)
    assert not validator.is_valid({**plain, "verdict": "splendid"})


def test_a_sighting_obeys_it(capsys: pytest.CaptureFixture[str]) -> None:
    validator = Draft202012Validator(printed(capsys, "observed"))
    plain = wire.to_plain(ProcessSeen(step=0, python="3.11", torch="2.13", device="cpu", threads=2))
    validator.validate(plain)
    assert not validator.is_valid({**plain, "fact": "gossip"})


def test_an_unknown_record_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "reprot"]) == 2
    error = capsys.readouterr().err
    assert [name for name in RECORDS if name not in error] == []
