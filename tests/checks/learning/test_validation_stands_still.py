from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.validation_stands_still import CHECK
from firstlight.records.declared import QuickValidation
from firstlight.records.finding import Evidence

ILL = QuickValidation(
    examples=100,
    epochs=45,
    train_losses=(1.0, 1.0),
    val_losses=(1.0, 0.99),
    accuracies=(0.3,),
    floor=0.0,
    guess=1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "45 epochs over 100 examples take the loss from 1 to 0.99 at best; accuracy 30%" in evidence.saw
    assert "below 0.85, or 90% right" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "hp-lr-low"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"val_losses": (0.86,)}, 1),
        ({"val_losses": (0.85,)}, 0),
        ({"accuracies": (0.9,)}, 0),
        ({"train_losses": (1.0, 0.3), "val_losses": (0.61,)}, 1),
        ({"train_losses": (1.0, 0.3), "val_losses": (0.59,)}, 0),
        ({"train_losses": (1.0, 0.01), "val_losses": (0.3,)}, 0),
        ({"val_losses": ()}, 0),
        ({"val_losses": (0.99, 0.98), "hurried": True}, 0),
        ({"val_losses": (0.98, 0.99), "hurried": True}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
