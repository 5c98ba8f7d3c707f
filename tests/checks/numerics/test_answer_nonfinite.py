from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.answer_nonfinite import CHECK
from firstlight.records.declared import Output
from firstlight.records.finding import Evidence
from firstlight.records.sighting import TensorCard


def card(*shape: int, bad: int = 0) -> TensorCard:
    return TensorCard(shape=shape, dtype="float32", nonfinite=bad)


ILL = Output(examples=64, inputs=(card(64, 8),), outputs=(card(64, 4, bad=130),), target=card(64), loss=card(bad=1))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_how_many_values_of_what() -> None:
    (evidence,) = found()

    assert evidence.saw == "in the output of the untrained model, 130 of 256 values are not finite"


def test_a_loss_may_be_the_first_that_is_not_finite() -> None:
    (evidence,) = found(outputs=(card(64, 4),))

    assert evidence.saw == "in the loss of the untrained model, 1 of 1 values are not finite"


@pytest.mark.parametrize(
    "changes",
    [
        {"outputs": (card(64, 4),), "loss": card()},
        {"outputs": (card(64, 4),), "loss": None},
        {"inputs": (card(64, 8, bad=1),)},
        {"watched": True},
    ],
)
def test_quiet_where_all_is_finite_or_others_tell(changes: dict[str, Any]) -> None:
    assert found(**changes) == []
