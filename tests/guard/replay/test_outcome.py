"""What a step that was done again says: it went wrong as it had, the fix holds, or nobody can tell."""

from pathlib import Path
from typing import Any

import pytest

from firstlight.guard.replay.outcome import Attempt, report_on
from firstlight.observe.watch import Watched
from firstlight.records.artifact import ARTIFACT_SCHEMA, Manifest, Program
from firstlight.records.nonfinite import BadOperation, Replayed
from firstlight.records.report import Report, Subject, Verdict
from firstlight.store import artifacts
from firstlight.store.artifacts import digest_of

DONE = Replayed(step=7, rank=0, precision="original", bad=None, loss=0.5, loaded=("model",), fed=True)
OVERFLOW = BadOperation(
    step=7, rank=0, phase="forward", operation="pow", module=None, site=None, words="beyond float16", row=3, rows=16
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("as it was")


def replayed(*attempts: Attempt, check: str = "FL670 turns-nonfinite", edited: bool = False, **rest: Any) -> Report:
    manifest = Manifest(
        schema=ARTIFACT_SCHEMA,
        run_id="r",
        step=7,
        check=check,
        summary="",
        created="",
        before_step=7,
        program=Program(argv=(), script="train.py", script_digest=digest_of(Path("train.py"))),
        **rest,
    )
    artifact = artifacts.read(artifacts.write(Path("kept"), manifest, []))
    if edited:
        Path("train.py").write_text("mended")
    return report_on(artifact, attempts, Subject(kind="artifact", command=("train.py",), file="train.py"))


def attempt(**changes: Any) -> Attempt:
    seen = {field: getattr(DONE, field) for field in DONE.__struct_fields__} | changes
    return Attempt("original", Replayed(**seen), None, Watched())


def test_a_program_that_was_mended_is_told_that_the_fix_holds() -> None:
    report = replayed(attempt(), edited=True)
    assert report.verdict is Verdict.CLEAN
    assert report.reason == (
        "the fix holds: step 7, which was not finite, is finite now (loss 0.5), with the batch and the weights it had"
    )


@pytest.mark.parametrize(
    ("edited", "changes"), [(False, {}), (True, {"fed": False}), (True, {"loaded": ()})], ids=["as it was", "", ""]
)
def test_nothing_is_said_to_hold_that_was_not_done_again(edited: bool, changes: dict[str, Any]) -> None:
    report = replayed(attempt(**changes), edited=edited)
    assert report.verdict is Verdict.UNJUDGED


def test_a_step_that_is_finite_in_float32_has_that_for_its_headline() -> None:
    narrow = Attempt("original", attempt(bad="loss").seen, OVERFLOW, Watched())
    wide = Attempt("float32", attempt(loss=1.25).seen, None, Watched())

    (finding,) = replayed(narrow, wide).findings
    assert finding.cause == "num-precision"
    assert finding.saw.startswith("in float32 the same step is finite, with a loss of 1.25")
    assert "in row 3 of 16" in finding.saw


def test_bad_in_both_precisions_is_no_matter_of_precision() -> None:
    narrow = Attempt("original", attempt(bad="loss").seen, OVERFLOW, Watched())
    wide = Attempt("float32", attempt(bad="loss").seen, OVERFLOW, Watched())
    (finding,) = replayed(narrow, wide).findings
    assert finding.cause == "num-nonfinite"


def test_a_crash_that_comes_again_is_reproduced() -> None:
    lines = ["Traceback (most recent call last):", "IndexError: index out of range in self"]
    crashed = Attempt("original", None, None, Watched(lines=lines, exit_code=1))
    report = replayed(crashed, check="FL002 script-crashed")
    assert (report.verdict, report.findings[0].cause) == (Verdict.ILL, "data-label-range")


@pytest.mark.parametrize(("now", "found"), [(90.0, 1), (1.0, 0)])
def test_a_loss_that_stood_out_and_does_so_again_is_reproduced(now: float, found: int) -> None:
    window = tuple({"step": step, "loss": 100.0 if step == 7 else 1.0} for step in range(12))
    report = replayed(attempt(loss=now), check="FL572 loss-spikes", window=window)
    assert len(report.findings) == found
