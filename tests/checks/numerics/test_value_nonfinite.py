from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.value_nonfinite import CHECK
from firstlight.records.facts import FirstBad
from firstlight.records.finding import Evidence
from firstlight.records.nonfinite import Argument
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

BAD_LOSS = FirstBad(
    rank=1,
    kind="loss",
    step=2,
    site=Site(file="train.py", line=24),
    module=None,
    operation="log",
    detail="`log` of 4 value(s) that are zero or negative",
    share=0.0,
    earlier=(-0.1, -0.2),
    lr=0.002,
)

DIVERGED = replace(BAD_LOSS, operation=None, detail="", step=40, earlier=(1.0, 50.0, 3e8), lr=0.3)


def found(bad: FirstBad = BAD_LOSS, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(bad, **changes), CHECK.limits))


def test_names_the_operation_and_the_step() -> None:
    (evidence,) = found()

    assert evidence.saw == "the loss is not finite at step 2: `log` of 4 value(s) that are zero or negative"
    assert evidence.wanted == "finite values throughout"
    assert evidence.cause is None
    assert (evidence.where.file, evidence.where.line) == ("train.py", 24)
    assert (evidence.where.step, evidence.where.rank) == (2, 1)
    assert evidence.numbers == {"step": 2, "operation": "log"}


def test_says_what_the_operation_was_given_and_what_would_help() -> None:
    card = TensorCard(shape=(32, 4), dtype="float32", low=0.0, high=0.5)
    (evidence,) = found(inputs=(Argument(name="self", tensor=card),), remedy="clamp it")

    assert evidence.saw.endswith("; `log` was given `self` 32×4 float32 in [0, 0.5]")
    assert evidence.do == "clamp it"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("activation", "the output of `encoder.3`"),
        ("parameter", "the weight `encoder.3`"),
        ("gradient", "the gradient"),
        ("target", "the target"),
    ],
)
def test_says_what_is_not_finite(kind: str, words: str) -> None:
    (evidence,) = found(kind=kind, module="encoder.3", detail="")

    assert evidence.saw == f"{words} is not finite at step 2"
    assert evidence.where.module == "encoder.3"


def test_after_growth_the_learning_rate_is_blamed() -> None:
    (evidence,) = found(DIVERGED)

    assert evidence.saw == (
        "the loss is not finite at step 40, after the loss had grown 3e+08-fold at learning rate 0.3"
    )
    assert evidence.wanted == "a loss that falls"
    assert evidence.cause == "hp-lr-high"
    assert evidence.confidence == 0.85


def test_bad_inputs_have_their_own_check() -> None:
    assert found(kind="input") == []


@pytest.mark.parametrize(("growth", "cause"), [(9.9, None), (10.0, None), (10.1, "hp-lr-high"), (19.9, "hp-lr-high")])
def test_each_side_of_diverged(growth: float, cause: str | None) -> None:
    (evidence,) = found(DIVERGED, earlier=(2.0, 2.0 * growth))

    assert evidence.cause == cause


@pytest.mark.parametrize(
    ("earlier", "cause"),
    [((), None), ((99.0,), None), ((1.0, 99.0), "hp-lr-high"), ((1.0, 9.0, 99.0), "hp-lr-high"), ((0.0, 99.0), None)],
)
def test_each_side_of_least_losses(earlier: tuple[float, ...], cause: str | None) -> None:
    (evidence,) = found(DIVERGED, earlier=earlier)

    assert evidence.cause == cause


def test_only_finite_losses_count_as_growth() -> None:
    (evidence,) = found(DIVERGED, earlier=(1.0, 2.0, float("inf")))

    assert evidence.cause is None
