"""The report is the contract other programs read."""

import json

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.records import wire
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.report import (
    REPORT_SCHEMA,
    CheckOutcome,
    Coverage,
    Hypothesis,
    Report,
    Status,
    Subject,
    Timing,
    Verdict,
)

VALIDATOR = jsonschema.Draft202012Validator(wire.schema_of(Report, REPORT_SCHEMA))
FINDING = Finding(
    id="FL203",
    name="loss-double-activation",
    cause="loss-double-activation",
    category="loss",
    severity=Severity.ERROR,
    confidence=0.97,
    verified=True,
    where=Where(file="train.py", line=31, step=0, rank=0),
    summary="probabilities go into a loss that applies the activation itself",
    saw="`cross_entropy` is given the output of `softmax`",
    wanted="raw scores",
    likely="the model ends in a softmax",
    do="return the raw scores",
    evidence={"low": float("-inf"), "high": float("nan"), "calls": 3, "made_by": "softmax", "known": None},
)
REPORT = Report(
    schema="firstlight.report/1",
    subject=Subject(kind="script", command=("python", "train.py"), file="train.py", run=".firstlight/runs/1"),
    verdict=Verdict.ILL,
    findings=(FINDING,),
    diagnosis=(Hypothesis(cause=FINDING.cause, category="loss", probability=0.94, verified=True, because=("FL203",)),),
    checks=(CheckOutcome(id="FL203", name=FINDING.name, status=Status.ILL, seconds=0.01),),
    coverage=Coverage(steps=60, seconds=2.0, ended="enough was seen"),
    timing=Timing(started="2026-01-01T00:00:00Z", seconds=3.5),
    environment={"torch": "2.13.0", "threads": 1, "cuda": False},
)


def test_the_published_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)


def test_a_report_is_admitted_by_its_schema() -> None:
    VALIDATOR.validate(json.loads(wire.encode(REPORT)))


SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text()
findings = st.builds(Finding, evidence=st.dictionaries(st.text(), SCALARS, max_size=3))


@given(st.builds(Report, findings=st.lists(findings, max_size=3).map(tuple)))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_any_report_is_admitted_and_comes_back(report: Report) -> None:
    written = wire.encode(report)

    VALIDATOR.validate(json.loads(written))
    assert wire.encode(wire.decode(written, Report)) == written


def test_it_has_the_shape_that_was_promised() -> None:
    report = json.loads(wire.encode(REPORT))

    assert report["schema"] == "firstlight.report/1"
    assert report["verdict"] == "ill"
    assert report["findings"][0]["severity"] == "error"
    where = report["findings"][0]["where"]
    assert where.items() >= {"file": "train.py", "line": 31, "module": None, "step": 0, "rank": 0}.items()
    assert where.keys() == {"file", "line", "module", "step", "rank", "column", "cell"}
    assert report["findings"][0]["evidence"]["low"] == "-Infinity"
    assert report["findings"][0]["evidence"]["high"] == "NaN"
    assert report["checks"][0]["status"] == "ill"
    assert report["checks"][0]["reason"] is None
    assert report["diagnosis"][0]["because"] == ["FL203"]


def test_another_schema_is_refused() -> None:
    report = json.loads(wire.encode(REPORT))

    assert not VALIDATOR.is_valid({**report, "schema": "firstlight.report/2"})
    assert not VALIDATOR.is_valid({**report, "verdict": "fine"})
    assert not VALIDATOR.is_valid({key: item for key, item in report.items() if key != "findings"})


def test_unknown_fields_are_tolerated() -> None:
    report = {**json.loads(wire.encode(REPORT)), "mood": "good"}

    assert VALIDATOR.is_valid(report)
    assert wire.convert(report, Report).verdict is Verdict.ILL
