"""A program of the test's own is verified, mutated, judged by the real command, and scored."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.zoo.conftest import MakeProgram, mutant_of, replacing
from zoo import verified
from zoo.cache import Cache
from zoo.mutants import Mutant
from zoo.records import Program
from zoo.scoring.circumstances import circumstances
from zoo.scoring.gather import Chosen, judge_all
from zoo.scoring.judging import Firstlight, default_executable
from zoo.scoring.page import page
from zoo.scoring.score import score
from zoo.verification import Verification, drop_outdated
from zoo.verified import Verified

STUCK = replacing("lr=0.5", "lr=0.0", name="rate-of-zero", cause="hp-lr-low")
CRASHING = replacing("loss.backward()", "loss.backwards()", name="misspelt", cause="train-no-step")
HARMLESS = replacing("range(80)", "range(81)", name="one-step-more", cause="train-schedule")


@dataclass(frozen=True)
class Zoo:
    program: Program
    mutants: dict[str, Mutant]
    known: Verified


@pytest.fixture
def zoo(make_program: MakeProgram, tmp_path: Path) -> Zoo:
    program = make_program()
    mutations = (STUCK, CRASHING, HARMLESS)
    mutants = {mutation.name: mutant_of(program, mutation) for mutation in mutations}
    known = Verified()
    verification = Verification(known, Cache(tmp_path / "runs.jsonl"), jobs=2)
    verification.verify_programs([program])
    verification.verify_mutants(list(mutants.values()))
    return Zoo(program, mutants, known)


def test_what_is_verified_is_scored(zoo: Zoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert zoo.known.programs["tiny"].why == "healthy"
    whys = {name: zoo.known.mutants[mutant.id].why for name, mutant in zoo.mutants.items()}
    assert whys == {
        "rate-of-zero": "worse",
        "misspelt": "crashed",
        "one-step-more": "not worse by the margin",
    }

    verified.save(zoo.known, tmp_path / "verified.json")
    known = verified.load(tmp_path / "verified.json")
    drop_outdated(known, [zoo.program], zoo.mutants.values())
    assert known.mutants.keys() == zoo.known.mutants.keys()
    _nothing_is_run_again(known, zoo, tmp_path, monkeypatch)

    cache = tmp_path / "judgements.jsonl"
    chosen = Chosen((zoo.program,), (zoo.mutants["rate-of-zero"],))
    firstlight = Firstlight(default_executable(), "check", 0, Cache(cache))
    cases, healthy = judge_all(chosen, known, firstlight, jobs=2)
    assert [case.judgement.verdict for case in healthy] == ["clean"]
    assert len(cases) == 1
    assert cases[0].judgement.verdict != "unjudged"
    assert cases[0].judgement.seconds > 0
    kept = judge_all(chosen, known, Firstlight(default_executable(), "check", 0, Cache(cache)), jobs=1)
    assert kept == (cases, healthy)

    result = score(cases, healthy)
    assert result.whole.caught.total == 1
    assert result.false_alarms.hits == 0
    text = page(result, circumstances(firstlight, "tune", None), [])
    assert "| healthy programs called ill | 0.0% (0% to 0%) | 0 of 1 |" in text
    assert "rate-of-zero" not in text


def _nothing_is_run_again(known: Verified, zoo: Zoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The committed list and the cache each suffice by themselves."""
    before = dict(known.mutants)
    monkeypatch.setattr(subprocess, "Popen", None)
    again = Verification(known, Cache(tmp_path / "empty.jsonl"), jobs=1)
    again.verify_programs([zoo.program])
    again.verify_mutants(list(zoo.mutants.values()))
    assert known.mutants == before
    from_cache = Verified()
    again = Verification(from_cache, Cache(tmp_path / "runs.jsonl"), jobs=1)
    again.verify_programs([zoo.program])
    again.verify_mutants(list(zoo.mutants.values()))
    assert {name: entry.why for name, entry in from_cache.mutants.items()} == {
        name: entry.why for name, entry in before.items()
    }
    monkeypatch.undo()
