from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.turns_nonfinite import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import Turned

BASE = Turned(
    rank=1,
    step=40,
    kind="gradient",
    name="head.weight",
    bad=2,
    tensors=10,
    lr=0.1,
    earlier=(1.0, 1.1, 0.9),
    norms=(2.0, 2.1, 1.9),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "at step 40 the gradients of 2 of 10 tensors are not finite, though the loss is; the one nearest to "
        "the loss is `head.weight`"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(("norm", "cause"), [(9.9, "num-nonfinite"), (10.1, "hp-lr-high")])
def test_each_side_of_runaway(norm: float, cause: str) -> None:
    (evidence,) = found(norms=(1.0, 1.0, 1.0, 1.0, norm))

    assert evidence.cause == cause


def test_a_loss_is_told_with_the_one_before() -> None:
    (evidence,) = found(kind="loss", name=None, bad=1)

    assert evidence.saw == "at step 40 the loss is not finite; it was 0.9 one step earlier"


def test_a_weight_is_told_by_name() -> None:
    (evidence,) = found(kind="weight")

    assert evidence.where.module == "head.weight"


def test_a_mean_over_no_targets_is_told_by_its_cause() -> None:
    (evidence,) = found(kind="loss", name=None, bad=1, origin="every target of the batch is ignored", masked=True)

    assert evidence.cause == "data-labels-masked"
    assert evidence.saw.endswith("it was 0.9 one step earlier; every target of the batch is ignored")


@pytest.mark.parametrize(("fed", "cause"), [(0, "num-nonfinite"), (3, "data-nonfinite")])
def test_a_batch_that_holds_bad_values_is_the_cause(fed: int, cause: str) -> None:
    (evidence,) = found(kind="loss", fed=fed, holding="`1` in row 5 of 16" if fed else "")

    assert evidence.cause == cause
    told = "the batch itself contains 3 value(s) that are not finite: `1` in row 5 of 16"
    assert (told in evidence.saw) == bool(fed)


def test_numbers_beyond_half_precision_are_named_as_such() -> None:
    (evidence,) = found(kind="loss", half=True, origin="1 value(s) are beyond 65504")

    assert evidence.cause == "num-precision"
    assert "bfloat16" in (evidence.do or "")


def test_an_evaluation_is_told_by_its_name_and_the_one_before() -> None:
    (evidence,) = found(kind="evaluation", name=None, tensors=0, evaluation="val_loss")

    assert evidence.saw == (
        "at step 40 the program reported a `val_loss` that is not finite; it was 0.9 at the previous evaluation"
    )
    assert evidence.cause == "data-nonfinite"


def test_the_leap_that_led_there_is_told() -> None:
    (evidence,) = found(kind="loss", leapt_at=38)
    assert "the gradients had jumped at step 38" in evidence.saw
