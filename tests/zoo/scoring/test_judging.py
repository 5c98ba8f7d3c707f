"""What is read from a report."""

import json
from pathlib import Path

import pytest
from zoo.cache import Cache
from zoo.errors import ZooError
from zoo.scoring.judging import Claim, Firstlight, Place, judgement_of

FINDING = {
    "id": "FL201", "cause": "loss-sign", "severity": "error", "confidence": 0.8, "verified": False,
    "where": {"file": "train.py", "line": 7},
}  # fmt: skip
NOTE = {**FINDING, "severity": "note", "where": {"file": "train.py", "line": 1}}
NOWHERE = {**FINDING, "cause": "hp-lr-high", "where": {"file": None, "line": None}}


def said(verdict: str, *findings: object, diagnosis: tuple[object, ...] = ()) -> str:
    return json.dumps({"verdict": verdict, "findings": findings, "diagnosis": diagnosis})


def test_the_diagnosis_comes_before_the_findings() -> None:
    cause = {"cause": "train-mode", "probability": 0.9}
    judgement = judgement_of(said("ill", FINDING, diagnosis=(cause,)), 4.0)
    assert judgement.first == Claim("train-mode", 0.9, "inferred")
    assert judgement.places == (Place("train.py", 7),)
    assert judgement.seconds == 4.0


def test_without_a_diagnosis_the_first_error_or_warning_is_what_was_said() -> None:
    judgement = judgement_of(said("warn", NOTE, NOWHERE, FINDING), 1.0)
    assert judgement.first == Claim("hp-lr-high", 0.8, "error", "FL201")
    assert judgement.places == (Place("train.py", 7),)


def test_a_claim_says_what_it_rests_on() -> None:
    cause = {"cause": "loss-sign", "probability": 0.9}
    named = judgement_of(said("ill", FINDING, diagnosis=(cause,)), 1.0).first
    proven = judgement_of(said("ill", {**FINDING, "verified": True}, diagnosis=(cause,)), 1.0).first
    assert (named, proven) == (Claim("loss-sign", 0.9, "error", "FL201"), Claim("loss-sign", 0.9, "proven", "FL201"))


def test_notes_say_nothing() -> None:
    judgement = judgement_of(said("clean", NOTE), 1.0)
    assert (judgement.first, judgement.places, judgement.alarmed) == (None, (), False)


def test_only_an_alarm_that_names_a_cause_claims_one() -> None:
    crash = {**FINDING, "cause": "unknown"}
    claims = [judgement_of(report, 1.0).claim for report in (said("ill", FINDING), said("ill", crash), said("clean"))]
    assert claims == [Claim("loss-sign", 0.8, "error", "FL201"), None, None]


def test_what_is_named_anywhere_is_kept_and_whether_it_learns() -> None:
    cause = {"cause": "train-mode", "probability": 0.01}
    report = json.loads(said("clean", NOTE, diagnosis=(cause,)))
    learns = {**report, "assurance": {"learns": {"status": "certified"}}}
    judgement = judgement_of(json.dumps(report), 1.0)
    assert (judgement.named, judgement.certified) == (("loss-sign", "train-mode"), False)
    assert judgement_of(json.dumps(learns), 1.0).certified
    assert not judgement_of(json.dumps({**report, "assurance": None}), 1.0).certified


@pytest.mark.parametrize("text", ["", "{", "[]", '{"verdict": "ill"}'])
def test_what_is_no_report_judges_nothing(text: str) -> None:
    assert judgement_of(text, 1.0).verdict == "unjudged"


@pytest.mark.parametrize(("verdict", "alarmed"), [("ill", True), ("warn", True), ("clean", False), ("unjudged", False)])
def test_ill_and_warn_are_alarms(verdict: str, alarmed: bool) -> None:
    assert judgement_of(said(verdict), 1.0).alarmed is alarmed


def asked(executable: Path, cache: Path, verb: str) -> Firstlight:
    assert verb in ("check", "lint")
    return Firstlight(executable, "check" if verb == "check" else "lint", 0, Cache(cache))


@pytest.fixture
def recorder(tmp_path: Path) -> Path:
    """A command that writes the words it was given where firstlight writes its report."""
    executable = tmp_path / "firstlight"
    executable.write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/words"\n')
    executable.chmod(0o755)
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nmkdir -p "$(dirname "$0")/package"\necho "$(dirname "$0")/package/__init__.py"\n')
    python.chmod(0o755)
    return executable


@pytest.mark.parametrize(
    ("verb", "command", "words"),
    [
        ("check", ("train.py", "--lr", "1"), "check --format json --output report.json train.py --lr 1"),
        ("check", ("-m", "pkg.train"), "check --format json --output report.json -m pkg.train"),
        (
            "check",
            ("-m", "torch.distributed.run", "--nproc_per_node=2", "train.py"),
            "check --format json --output report.json -- torchrun --nproc_per_node=2 train.py",
        ),
        ("lint", ("train.py", "--lr", "1"), "lint --format json --output report.json ."),
    ],
)
def test_firstlight_is_asked_as_a_user_would(recorder: Path, verb: str, command: tuple[str, ...], words: str) -> None:
    asked(recorder, recorder.parent / "cache", verb).judge({"train.py": ""}, command)
    assert (recorder.parent / "words").read_text().strip() == words


def test_a_judgement_is_kept_until_program_or_firstlight_change(recorder: Path) -> None:
    folder = recorder.parent

    def runs_after(text: str) -> int:
        asked(recorder, folder / "cache", "check").judge({"train.py": text}, ("train.py",))
        return len((folder / "words").read_text().splitlines())

    assert [runs_after("a = 1"), runs_after("a = 1"), runs_after("a = 2")] == [1, 1, 2]
    (folder / "package" / "new.py").write_text("")
    assert [runs_after("a = 1"), runs_after("a = 1")] == [3, 3]


def test_an_executable_without_a_python_beside_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "firstlight").write_text("")
    with pytest.raises(ZooError, match="no python beside it"):
        asked(tmp_path / "firstlight", tmp_path / "cache", "check").judge({}, ())
