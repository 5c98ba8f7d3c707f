from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.examples_become_alike import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.flows import Alike, Place
from firstlight.records.places import Site

ALIKE = Alike(
    examples=32,
    fed=32,
    looks=2,
    step=24,
    last_good=Place(operation="linear", site=Site(file="net.py", line=8)),
    first_bad=Place(operation="mean", site=Site(file="net.py", line=9)),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ALIKE, **changes), CHECK.limits))


def test_tells_the_first_bad_and_the_last_good_operation() -> None:
    (evidence,) = found()

    assert "after `mean` all 32 examples of the batch are identical" in evidence.saw
    assert "they still differ after `linear` at net.py:8" in evidence.saw
    assert evidence.where.line == 9


@pytest.mark.parametrize(
    ("operation", "cause"),
    [
        ("mean", "arch-batch-mixing"),
        ("relu", "arch-dead-units"),
        ("layer_norm", "arch-norm"),
        ("linear", "arch-init"),
        ("round", "data-degenerate"),
    ],
)
def test_the_operation_tells_the_cause(operation: str, cause: str) -> None:
    assert found(first_bad=Place(operation=operation, site=None))[0].cause == cause


def test_what_is_lost_at_the_door_says_so() -> None:
    assert "they differ in the input" in found(last_good=None)[0].saw


def test_a_few_examples_may_be_alike_by_chance() -> None:
    assert found(fed=4)
    assert not found(fed=3)


@pytest.mark.parametrize(
    ("operation", "left", "cause"),
    [
        ("linear", 0.9e-5, "arch-vanishing"),
        ("linear", 1e-5, "arch-init"),
        ("linear", None, "arch-init"),
        ("linear", float("nan"), "arch-init"),
        ("mean", 1e-8, "arch-batch-mixing"),
    ],
)
def test_what_had_all_but_vanished_is_not_lost_by_the_weights(operation: str, left: float | None, cause: str) -> None:
    bad = Place(operation=operation, site=Site(file="net.py", line=9))
    (evidence,) = found(first_bad=bad, left=left)

    assert evidence.cause == cause
    assert ("of the values" in evidence.saw) == (cause == "arch-vanishing")
