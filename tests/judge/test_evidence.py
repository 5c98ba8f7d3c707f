"""What a report says of checks whose findings were taken back."""

from dataclasses import replace

from firstlight.checks.loss.loss_double_activation import CHECK
from firstlight.diagnosis.evidence import ruled_out
from firstlight.findings.judge import stamp
from firstlight.judge.evidence import settled
from firstlight.records.finding import Evidence
from firstlight.records.places import Where
from firstlight.records.report import CheckOutcome, Status

FINDING = stamp(CHECK, Evidence(where=Where(), saw="it", wanted="another"))
ILL = CheckOutcome(id=CHECK.id, name=CHECK.name, status=Status.ILL, seconds=0.0)


def test_a_check_whose_finding_stands_is_ill() -> None:
    assert settled((ILL,), (FINDING,), (FINDING,)) == (ILL,)


def test_a_check_is_not_ill_once_no_finding_of_it_stands() -> None:
    """Else the counts of a report do not add up, and its parts contradict each other."""
    (unconfirmed,) = settled((ILL,), findings=(), kept=(FINDING,))
    (allowed,) = settled((ILL,), findings=(), kept=())

    assert (unconfirmed.status, unconfirmed.reason) == (Status.CLEAN, "suspected, but not confirmed")
    assert (allowed.status, allowed.reason) == (Status.CLEAN, "found, but allowed by a comment")


def test_what_was_taken_back_rules_no_cause_out() -> None:
    clean = CheckOutcome(id=CHECK.id, name=CHECK.name, status=Status.CLEAN, seconds=0.0)

    assert ruled_out((clean,), (CHECK,))
    assert not ruled_out(settled((ILL,), (), ()), (CHECK,))


def test_only_a_check_that_sees_every_form_rules_its_cause_out() -> None:
    """One that is right whenever it speaks may still overlook other forms."""
    clean = CheckOutcome(id=CHECK.id, name=CHECK.name, status=Status.CLEAN, seconds=0.0)

    assert [hint.cause for hint in ruled_out((clean,), (CHECK,))] == ["loss-double-activation"]
    assert not ruled_out((clean,), (replace(CHECK, exhaustive=False, confidence=0.99),))
