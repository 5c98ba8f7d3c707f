from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.output_loses_batch import CHECK
from firstlight.records.declared import Output
from firstlight.records.finding import Evidence
from firstlight.records.sighting import TensorCard


def card(*shape: int) -> TensorCard:
    return TensorCard(shape=shape, dtype="float32")


LOST = Output(examples=16, inputs=(card(16, 12, 3),), outputs=(card(12, 4),), target=card(16), loss=None)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOST, **changes), CHECK.limits))


def test_tells_both_shapes() -> None:
    (evidence,) = found()

    assert evidence.saw == "16 examples go in and the output has shape (12, 4)"
    assert evidence.wanted == "16 rows, as the target of shape (16,) has"
    assert evidence.cause == "data-schema"


def test_a_batch_axis_elsewhere_was_moved() -> None:
    (evidence,) = found(outputs=(card(4, 16),))

    assert evidence.cause == "arch-batch-mixing"


@pytest.mark.parametrize(
    "changes",
    [
        {"outputs": (card(16, 4),)},
        {"outputs": (card(192, 4),), "target": card(16, 12)},
        {"outputs": ()},
        {"target": None},
        {"target": card(12)},
        {"examples": None},
    ],
)
def test_rows_that_pair_or_need_not_pair_are_fine(changes: dict[str, Any]) -> None:
    assert found(**changes) == []
