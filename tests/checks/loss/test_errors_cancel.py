from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.errors_cancel import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.taped import SCALE, CancelSeen

SUMMED = CancelSeen(
    operation="mean",
    site=Site(file="train.py", line=17),
    axis=0,
    length=64,
    looks=3,
    step=24,
    loss=0.4,
    moved=0.0,
    shifted=2.5,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SUMMED, **changes), CHECK.limits))


def test_tells_the_call_that_sums_and_both_changes() -> None:
    (evidence,) = found()

    assert "their sum over the 64 examples of a batch stays the same changes the loss by 0;" in evidence.saw
    assert "by 2.5: `mean` sums before" in evidence.saw
    assert evidence.where.line == 17


def test_another_axis_is_named() -> None:
    (evidence,) = found(axis=1, length=4)

    assert "over axis 1 stays" in evidence.saw


def test_a_loss_that_changes_by_more_than_rounding_is_quiet() -> None:
    assert found(moved=0.0024)
    assert not found(moved=0.0026)


def test_one_look_is_not_enough() -> None:
    assert found(looks=2)
    assert not found(looks=1)


def test_a_loss_that_nothing_changes_is_quiet() -> None:
    assert not found(shifted=0.0)


def test_a_loss_that_is_the_same_for_outputs_of_any_size_is_the_wrong_one() -> None:
    (evidence,) = found(axis=SCALE)

    assert evidence.saw == "multiplying all 64 outputs by one factor changes the loss by 0, and shifting them by 2.5"
    assert (evidence.cause, evidence.severity) == ("loss-mismatch", Severity.WARNING)
    assert not found(axis=SCALE, moved=0.0026)
    assert not found(axis=SCALE, shifted=0.0)
