"""The command line: counts, what is not shown, and a person's mistakes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.zoo.conftest import MakeProgram, replacing
from zoo import cli as command_line
from zoo.mutants import mutants_of
from zoo.split import HALVES

ROOT = Path(__file__).parents[2]


# Of these names some are of one half and some of the other, programs as well as mutations.
NAMES = [f"name-{at}" for at in range(16)]
CATALOGUE = tuple(replacing("lr=0.5", "lr=0.0", name=name, cause="hp-lr-low") for name in NAMES)


@pytest.fixture
def ids(make_program: MakeProgram, monkeypatch: pytest.MonkeyPatch) -> dict[str | None, str]:
    """A zoo of the test's own: one mutant's id for each half, and for the mixed ones."""
    programs = [make_program(name) for name in NAMES]
    monkeypatch.setattr("zoo.programs.load_all", lambda: (programs, []))
    monkeypatch.setattr(command_line, "CATALOGUE", CATALOGUE)
    return {mutant.half: mutant.id for mutant in mutants_of(programs, CATALOGUE)}


def invoke(*words: str) -> Result:
    return CliRunner().invoke(command_line.cli, words)


def test_list_counts_each_half(ids: dict[str | None, str]) -> None:
    assert len(ids) == 3
    counts = json.loads(invoke("list", "--format", "json").stdout)
    assert counts["causes"] == {"all": 1}
    assert counts["forms"]["all"] == counts["forms"]["tune"] + counts["forms"]["report"] == len(NAMES)
    assert counts["programs"]["all"] == sum(counts["programs"][half] for half in HALVES) == len(NAMES)
    assert counts["mutants"]["all"] == sum(counts["mutants"][half] for half in (*HALVES, "mixed")) == len(NAMES) ** 2
    assert counts["mutants"]["tune"] == counts["programs"]["tune"] * counts["forms"]["tune"]


def test_the_report_half_is_not_shown_unless_asked_for_by_force(ids: dict[str | None, str]) -> None:
    assert "+optimizer = torch.optim.SGD(model.parameters(), lr=0.0)" in invoke("show", ids["tune"]).stdout
    assert "lr=0.0" in invoke("show", ids["report"], "--force").stdout
    refused = invoke("show", ids["report"])
    assert "lr=0.0" not in refused.output
    assert "not looked at" in str(refused.exception)


def test_only_ids_of_the_tune_half_are_listed(ids: dict[str | None, str]) -> None:
    listed = invoke("list", "--mutants").stdout.split("\n")
    assert ids["tune"] in listed
    assert ids["report"] not in listed


def test_nothing_is_scored_that_is_not_verified(ids: dict[str | None, str]) -> None:
    assert "no mutant of the tune half is verified" in str(invoke("score", "--half", "tune").exception)


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
