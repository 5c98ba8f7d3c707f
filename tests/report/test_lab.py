"""What a verb of the lab found, on a screen, as JSON and as a page."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from firstlight.cli.main import cli
from firstlight.errors import UsageError
from firstlight.records import wire
from firstlight.records.lab import LabCurve, LabMap, LabMark, LabPlot, LabReport, LabTable
from firstlight.report import lab
from firstlight.store.run_directory import RunDirectory

REPORT = LabReport(
    kind="lr-find",
    command=("train.py", "--name=<b>"),
    answer="A rate of 0.01 is best. The present one is fine.",
    suggested=0.01,
    advice=("leave `lr` as it is",),
    tables=(LabTable(title="rates", head=("rate", "loss", "why"), rows=((0.01, 0.123456, "steepest"), (1, None, ""))),),
    plots=(
        LabPlot(
            title="ramp",
            x="rate",
            y="loss",
            log_x=True,
            curves=(LabCurve(name="a", x=(1, 2), y=(3, 4)),),
            marks=(LabMark(x=1.5, text="present"),),
        ),
    ),
    maps=(LabMap(title="plane", x="a", y="b", columns=(0, 1), rows=(1, 0), values=((1, 2), (3, float("inf")))),),
    done=3,
    left=2,
    limits=("short runs favour high rates",),
    run=".firstlight/runs/x",
)


def test_the_answer_is_the_first_line_of_the_screen() -> None:
    lines = lab.terminal(REPORT, colour=False).splitlines()
    assert lines[0] == REPORT.answer
    assert "  → leave `lr` as it is" in lines
    assert "  rate    loss  why" in lines
    assert "  0.01  0.1235  steepest" in lines
    assert "3 trials, 2 left: the same command continues from there; 0.0 s" in lines


def test_what_an_answer_quotes_cannot_steer_a_terminal() -> None:
    shown = lab.terminal(msgspec.structs.replace(REPORT, answer="\x1b[2Jgone"), colour=False)
    assert "\x1b" not in shown


def test_json_comes_back_as_it_was() -> None:
    text = lab.json(REPORT)
    assert json.loads(text)["suggested"] == 0.01
    assert wire.decode(text, LabReport) == REPORT


def test_a_long_table_is_cut_on_a_screen_and_says_so() -> None:
    rows = tuple((float(place),) for place in range(lab.MOST_ROWS + 1))
    long = msgspec.structs.replace(REPORT, tables=(LabTable(title="", head=("rate",), rows=rows),))
    assert "and 1 more rows" in lab.terminal(long, colour=False)


def test_a_page_holds_the_plots_and_escapes_what_it_quotes() -> None:
    page = lab.page(REPORT)
    plots = json.loads(page.partition('id="plots">')[2].partition("</script>")[0])
    assert plots["plot-0"]["logx"] is True
    assert "loss over rate; vertical lines: present (1.5)" in page
    assert plots["map-0"]["values"] == [[1, 2], [3, "Infinity"]]
    assert "<b>" not in page
    assert "A rate of 0.01 is best." in page


def test_no_two_parts_of_a_page_have_one_name() -> None:
    """The script looks its plots up by name, and finds whatever comes first."""
    names = re.findall(r' id="([^"]+)"', lab.page(REPORT))
    assert "plots" in names
    assert len(names) == len(set(names))


def test_an_answer_on_disk_is_shown_again(tmp_path: Path) -> None:
    (tmp_path / "events.ndjson").touch()
    (tmp_path / lab.ANSWER).write_text(lab.json(REPORT))
    shown = CliRunner().invoke(cli, ["report", str(tmp_path)])
    assert shown.exit_code == 0
    assert shown.output.startswith(REPORT.answer)
    assert "formats are terminal, json, html" in str(
        CliRunner().invoke(cli, ["report", str(tmp_path), "--format", "sarif"]).exception
    )


def test_an_answer_that_was_damaged_is_refused(tmp_path: Path) -> None:
    (tmp_path / lab.ANSWER).write_text("{")
    with pytest.raises(UsageError, match="not an answer that this version understands"):
        lab.of_run(RunDirectory(tmp_path))
