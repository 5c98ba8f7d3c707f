"""The look of the report, as reviewed text."""

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.report import (
    REPORT_SCHEMA,
    CheckOutcome,
    Coverage,
    Excerpt,
    Hypothesis,
    Report,
    Status,
    Subject,
    Timing,
    Verdict,
)
from firstlight.report import json as json_report
from firstlight.report import terminal

FINDING = Finding(
    id="FL203",
    name="loss-double-activation",
    cause="loss-double-activation",
    category="loss",
    severity=Severity.ERROR,
    confidence=0.97,
    verified=False,
    where=Where(file="train.py", line=2, step=0, rank=0),
    summary="probabilities go into a loss that applies the activation itself",
    saw="`cross_entropy` is given the output of `softmax` at train.py:1: values in [0.02, 0.9]",
    wanted="raw scores; `cross_entropy` applies softmax itself",
    likely="the model ends in a softmax",
    do="return the raw scores at train.py:1",
    count=3,
)
REPORT = Report(
    schema=REPORT_SCHEMA,
    subject=Subject(kind="script", command=("train.py", "--lr", "1"), file="train.py", run=".firstlight/runs/x"),
    verdict=Verdict.ILL,
    findings=(FINDING,),
    diagnosis=(Hypothesis(cause="loss-double-activation", category="loss", probability=0.97, because=("FL203",)),),
    checks=(
        CheckOutcome(id="FL203", name="loss-double-activation", status=Status.ILL, seconds=0.0),
        CheckOutcome(id="FL301", name="gradients-never-cleared", status=Status.CLEAN, seconds=0.0),
        CheckOutcome(id="FL350", name="clip-out-of-place", status=Status.SKIPPED, seconds=0.0, reason="no clipping"),
    ),
    coverage=Coverage(
        steps=40,
        seconds=3.25,
        ended="the step budget was spent",
        held_back=("a.pt", "b.pt", "c", "d"),
        limits=("later steps",),
    ),
    timing=Timing(started="2026-01-01T00:00:00Z", seconds=3.25),
    environment={},
    excerpts=(Excerpt(file="train.py", first=1, lines=("out = softmax(x)", "    loss = criterion(out, y)")),),
)
WANTED = """\
error[FL203] loss-double-activation: probabilities go into a loss that applies
the activation itself
  where    train.py:2 · step 0 · and 2 more like it
           loss = criterion(out, y)
  saw      `cross_entropy` is given the output of `softmax` at train.py:1:
           values in [0.02, 0.9]
  wanted   raw scores; `cross_entropy` applies softmax itself
  likely   the model ends in a softmax
  do       return the raw scores at train.py:1
  more     firstlight explain FL203

ill: 1 error
  program  train.py --lr 1
  watched  40 steps in 3.2 s; the step budget was spent
  causes   loss-double-activation 97% (FL203)
  checked  1 of 3 checks clean; 1 not run: FL350 (no clipping)
  held     back from your directories: a.pt, b.pt, c and 1 more
  unsaid   later steps
  kept in  .firstlight/runs/x
  page     .firstlight/runs/x/report.html
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("secret = 1\nsecret = 2\n")
    return tmp_path


def test_the_report_reads_as_reviewed_at_eighty_columns(here: Path) -> None:
    assert terminal.render(REPORT, colour=False, width=80) == WANTED


def test_the_line_is_shown_as_it_was_when_it_was_judged(here: Path) -> None:
    excerpt = Excerpt(file="train.py", first=1, lines=("before = 1", "judged = criterion(out, y)"))
    text = terminal.render(msgspec.structs.replace(REPORT, excerpts=(excerpt,)), colour=False, width=80)
    assert "           judged = criterion(out, y)\n" in text


@pytest.mark.parametrize(("count", "told"), [(0, "c and 1 more"), (4, "c and 1 more"), (900, "c and 897 more")])
def test_all_that_was_held_back_is_counted(here: Path, count: int, told: str) -> None:
    coverage = msgspec.structs.replace(REPORT.coverage, held_back_count=count)
    assert told in terminal.render(msgspec.structs.replace(REPORT, coverage=coverage), colour=False, width=80)


def test_a_file_that_a_report_only_names_is_not_read(here: Path) -> None:
    assert "secret" not in terminal.render(msgspec.structs.replace(REPORT, excerpts=()), colour=False, width=80)


def test_a_finding_by_itself_shows_its_line_as_it_stands(here: Path) -> None:
    assert "           secret = 2\n" in terminal.incident(FINDING, colour=False)


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (".firstlight/runs/x", "firstlight report --open"),
        ("/tmp/elsewhere/.firstlight/runs/x", "firstlight report --open /tmp/elsewhere/.firstlight/runs/x"),
    ],
)
def test_a_run_that_is_kept_elsewhere_is_named_to_be_found(run: str, told: str) -> None:
    assert terminal.page(Subject(kind="run", command=("train.py",), run=run)) == told


def test_reasons_that_are_not_shown_are_counted(here: Path) -> None:
    skipped = tuple(
        CheckOutcome(id=f"FL{900 + n}", name=f"n{n}", status=Status.SKIPPED, seconds=0.0, reason=f"no piece {n % 8}")
        for n in range(9)
    )
    text = terminal.render(msgspec.structs.replace(REPORT, checks=skipped), colour=False, width=100)
    told = " ".join(text.split())
    assert "9 not run: FL900 FL908 (no piece 0);" in told
    assert "FL905 (no piece 5); and 2 more for other reasons" in told


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal(here: Path, width: int) -> None:
    text = terminal.render(REPORT, colour=False, width=width)
    assert max(map(len, text.splitlines())) <= max(width, 42)


def test_colour_changes_nothing_but_colour(here: Path) -> None:
    import re

    painted = terminal.render(REPORT, colour=True, width=80)
    assert painted != WANTED
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == WANTED


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colour_is_off_for_pipes_and_no_color(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], wanted: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert terminal.wants_colour(io.StringIO()) is wanted


def test_an_unjudged_report_says_why_and_shows_the_output() -> None:
    report = msgspec.structs.replace(
        REPORT, verdict=Verdict.UNJUDGED, findings=(), diagnosis=(), reason="it crashed", output_tail=("boom",)
    )
    text = terminal.render(report, colour=False, width=80)
    assert "unjudged: it crashed" in text
    assert "  | boom" in text
    assert "checks clean" not in text


@pytest.mark.parametrize(
    ("engine", "reason", "told"),
    [
        ("fork", None, "one-batch, probes (forked at the first batch)"),
        ("fresh", "CUDA is on", "one-batch, probes (fresh runs of the script, because CUDA is on)"),
        ("ray", None, "one-batch, probes (fresh runs as Ray tasks)"),
        (None, None, "one-batch, probes\n"),
    ],
)
def test_how_experiments_were_made_is_told_in_a_few_words(engine: str | None, reason: str | None, told: str) -> None:
    made = Coverage(experiments=("one-batch", "probes"), engine=engine, engine_reason=reason)
    assert told in terminal.render(msgspec.structs.replace(REPORT, coverage=made), colour=False, width=100)


def test_at_most_three_notes_are_shown_but_all_are_counted() -> None:
    notes = tuple(msgspec.structs.replace(FINDING, severity=Severity.NOTE, name=f"n{i}") for i in range(5))
    report = msgspec.structs.replace(REPORT, findings=notes, verdict=Verdict.CLEAN)
    text = terminal.render(report, colour=False, width=80)
    assert [f"n{i}" in text for i in range(5)] == [True, True, True, False, False]
    assert "clean: 5 notes" in text


def test_the_json_report_keeps_what_is_not_finite() -> None:
    report = msgspec.structs.replace(
        REPORT, findings=(msgspec.structs.replace(FINDING, evidence={"loss": float("inf"), "g": float("nan")}),)
    )
    decoded: dict[str, Any] = msgspec.json.decode(json_report.render(report))
    assert decoded["findings"][0]["evidence"] == {"loss": "Infinity", "g": "NaN"}
    assert decoded["schema"] == "firstlight.report/1"
