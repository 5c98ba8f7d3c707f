"""The command line: counts, what is not shown, and a person's mistakes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from zoo import cli as command_line
from zoo.mutants import mutants_of
from zoo.mutations.catalogue import CATALOGUE
from zoo.programs import load_all
from zoo.split import HALVES

ROOT = Path(__file__).parents[2]


def test_list_counts_each_half() -> None:
    said = CliRunner().invoke(command_line.cli, ["list", "--format", "json"])
    counts = json.loads(said.stdout)
    assert counts["forms"]["all"] == len(CATALOGUE) == counts["forms"]["tune"] + counts["forms"]["report"]
    assert counts["programs"]["all"] == sum(counts["programs"][half] for half in HALVES) > 0
    assert counts["mutants"]["all"] == sum(counts["mutants"][half] for half in (*HALVES, "mixed")) > 0


def test_the_report_half_is_not_shown_unless_asked_twice() -> None:
    programs, _ = load_all()
    mutants = {mutant.half: mutant.id for mutant in mutants_of(programs, CATALOGUE)}
    assert "@@" in CliRunner().invoke(command_line.cli, ["show", mutants["tune"]]).stdout
    assert "@@" in CliRunner().invoke(command_line.cli, ["show", mutants["report"], "--force"]).stdout
    refused = CliRunner().invoke(command_line.cli, ["show", mutants["report"]])
    assert "@@" not in refused.output
    assert "not looked at" in str(refused.exception)
    listed = CliRunner().invoke(command_line.cli, ["list", "--mutants"]).stdout.split("\n")
    assert mutants["tune"] in listed
    assert mutants["report"] not in listed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show", "no/such/mutant"], "zoo: there is no mutant `no/such/mutant`"),
        (["score", "--half", "report", "--verbose"], "zoo: of the report half only sums are told"),
        (["score", "--half", "both"], "'both' is not one of"),
    ],
)
def test_a_mistake_is_a_sentence_and_exit_code_2(words: list[str], told: str) -> None:
    zoo = [sys.executable, "-m", "zoo"]
    ended = subprocess.run([*zoo, *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr
