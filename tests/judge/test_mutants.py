"""Caught or not, and why not: on runs written by hand."""

import math
from collections.abc import Sequence

import msgspec
import pytest

from firstlight.experiments.faults import BY_NAME
from firstlight.judge.mutants import Seen, hurts, mutant_of, sensitivity
from firstlight.records.assurance import Assurance, Learns
from firstlight.records.finding import Finding, Severity
from firstlight.records.mutants import Mutant, Outcome
from firstlight.records.places import Where
from firstlight.records.report import (
    REPORT_SCHEMA,
    CheckOutcome,
    Coverage,
    Report,
    Status,
    Subject,
    Timing,
    Verdict,
)

FALLING = tuple(2.0 * 0.97**step for step in range(100))
FLAT = (2.0,) * 100
FAULT = BY_NAME["targets-permuted"]


def report(*findings: Finding, verdict: Verdict = Verdict.CLEAN, checks: Sequence[CheckOutcome] = ()) -> Report:
    return Report(
        schema=REPORT_SCHEMA,
        subject=Subject(kind="script", command=("train.py",)),
        verdict=verdict,
        findings=findings,
        diagnosis=(),
        checks=tuple(checks),
        coverage=Coverage(),
        timing=Timing(started="2026-01-01T00:00:00Z", seconds=1.0),
        environment={},
        reason="only 3 steps" if verdict is Verdict.UNJUDGED else None,
        assurance=Assurance(learns=Learns(status="certified", first=2.0, last=0.5)),
    )


def finding(cause: str, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(
        id="FL101",
        name="pairing-is-lost",
        cause=cause,
        category="data",
        severity=severity,
        confidence=0.9,
        verified=False,
        where=Where(file="train.py", line=7),
        summary="",
        saw="",
        wanted="",
        likely="",
        do="",
    )


PROGRAM = Seen(report(), FALLING, "finished")


def judged(seen: Seen, program: Seen = PROGRAM) -> Mutant:
    return mutant_of(FAULT, seen, program)


def test_a_finding_that_the_program_has_not_is_a_catch_and_the_first_cause_decides_whether_it_is_right() -> None:
    right = judged(Seen(report(finding("data-label-misaligned")), FLAT, "stopped"))
    assert (right.outcome, right.right, right.told) == (Outcome.CAUGHT, True, "FL101 pairing-is-lost at train.py:7")
    wrong = judged(Seen(report(finding("hp-lr-low"), finding("data-label-misaligned")), FLAT, "stopped"))
    assert (wrong.outcome, wrong.right, wrong.cause) == (Outcome.CAUGHT, False, "hp-lr-low")


def test_what_was_said_of_the_program_itself_or_in_a_note_is_no_catch() -> None:
    warned = finding("hp-lr-low", Severity.WARNING)
    program = Seen(report(warned, verdict=Verdict.WARN), FALLING, "finished")
    assert judged(Seen(report(warned), FLAT, "stopped"), program).outcome is Outcome.MISSED
    noted = Seen(report(finding("data-label-misaligned", Severity.NOTE)), FLAT, "stopped")
    assert judged(noted).outcome is Outcome.MISSED


def test_a_miss_says_which_checks_were_silent_and_which_did_not_run() -> None:
    checks = (
        CheckOutcome(id="FL615", name="unrelated", status=Status.CLEAN, seconds=0.0),
        *(
            CheckOutcome(id=check_id, name=name, status=status, seconds=0.0, reason=reason)
            for (check_id, name), status, reason in zip(
                TELLING, (Status.CLEAN, Status.SKIPPED), (None, "no loader was seen"), strict=True
            )
        ),
    )
    missed = judged(Seen(report(checks=checks), FLAT, "stopped"))
    assert missed.reason == (
        f"it learns anyway, 2 → 0.5; {' '.join(TELLING[0])} saw nothing; "
        f"{' '.join(TELLING[1])} did not run: no loader was seen"
    )


def _telling() -> list[tuple[str, str]]:
    from firstlight.checks.catalogue import CATALOGUE
    from firstlight.facts.sources import READ_FROM_SOURCE

    return [
        (check.id, check.name)
        for check in CATALOGUE
        if "data-label-misaligned" in check.causes and check.needs not in READ_FROM_SOURCE
    ][:2]


TELLING = _telling()


def test_a_miss_says_that_there_was_a_note() -> None:
    noted = CheckOutcome(id=TELLING[0][0], name=TELLING[0][1], status=Status.ILL, seconds=0.0)
    missed = judged(Seen(report(checks=[noted]), FLAT, "stopped"))
    assert f"{' '.join(TELLING[0])} reported it only as a note" in missed.reason


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        (Seen(report(), FALLING, "finished"), Outcome.HARMLESS),
        (Seen(report(), FLAT, "finished", planted=False), Outcome.NOT_APPLICABLE),
        (Seen(report(finding("unknown")), FLAT, "crashed"), Outcome.CRASHED),
        (Seen(report(verdict=Verdict.UNJUDGED), FLAT, "stopped"), Outcome.UNJUDGED),
    ],
)
def test_what_says_nothing_of_the_checks_does_not_count(seen: Seen, outcome: Outcome) -> None:
    mutant = judged(seen)
    assert mutant.outcome is outcome
    assert mutant.reason
    assert sensitivity([mutant]) == {}


def test_a_fault_whose_harm_is_not_in_the_loss_is_never_harmless() -> None:
    seen = Seen(report(), FALLING, "finished")
    assert mutant_of(BY_NAME["train-mode-in-evaluation"], seen, PROGRAM).outcome is Outcome.MISSED


def test_a_loss_that_stays_worse_hurts_and_one_within_the_noise_does_not() -> None:
    assert hurts(FLAT, FALLING)
    assert hurts((*FALLING[:50], *(math.nan,) * 50), FALLING)
    noisy = [loss + 0.02 * (-1) ** step for step, loss in enumerate(FALLING)]
    assert not hurts(noisy, FALLING)
    assert not hurts([1000 * loss for loss in FALLING], FALLING)  # another unit, the same course
    assert not hurts([50.0, *FALLING[1:]], FALLING)  # another beginning, the same end
    assert hurts(FALLING[:3], FALLING)  # too few steps to call it harmless


def test_the_margin_of_harm_has_two_sides() -> None:
    level = [2.0] + [1.0] * 99
    assert not hurts([2.0] + [1.0 + 0.049] * 99, level)
    assert hurts([2.0] + [1.0 + 0.051] * 99, level)


def test_sensitivity_is_the_share_caught_of_what_counts_in_each_flow() -> None:
    caught = judged(Seen(report(finding("data-label-misaligned")), FLAT, "stopped"))
    missed = judged(Seen(report(), FLAT, "stopped"))
    elsewhere = msgspec.structs.replace(missed, flow="life")
    assert sensitivity([caught, missed, missed, caught, elsewhere]) == {"answers": 0.5, "life": 0.0}
