from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.initial_loss_off import CHECK
from firstlight.records.declared import InitialLoss
from firstlight.records.finding import Evidence

ILL = InitialLoss(
    loss="cross_entropy",
    batches=(9.0, 9.2),
    in_eval=9.1,
    expected=2.303,
    prior=2.3,
    formula="ln of the number of classes",
    classes=10,
    majority_share=0.1,
    reduction="mean",
    pretrained=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "starts at 9.1, as scores with a spread of 3.7 would" in evidence.saw
    assert "about 2.3: ln of the number of classes" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-init"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"batches": (4.61,)}, 1),
        ({"batches": (4.60,)}, 0),
        ({"batches": (1.14,)}, 1),
        ({"batches": (1.16,)}, 0),
        ({"batches": (1.0,), "pretrained": True}, 0),
        ({"batches": (1.0,), "among_rows": True}, 0),
        ({"batches": (4.61,), "watched": True}, 0),
        ({"batches": (1.14,), "watched": True}, 1),
        ({"loss": "mse_loss", "expected": 1.0, "batches": (10.1,), "watched": True}, 1),
        ({"expected": None}, 0),
        ({"batches": (float("nan"),)}, 0),
        ({"loss": "mse_loss", "expected": 1.0, "batches": (9.9,)}, 0),
        ({"loss": "mse_loss", "expected": 1.0, "batches": (10.1,)}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_constant_answer_that_is_this_good_is_imbalance_and_no_leak() -> None:
    (evidence,) = found(batches=(0.6,), prior=0.5)

    assert evidence.severity == "note"


@pytest.mark.parametrize(("loss", "cause"), [("cross_entropy", "loss-sign"), ("nll_loss", "loss-missing-activation")])
def test_no_answer_to_classes_scores_below_zero(loss: str, cause: str) -> None:
    (evidence,) = found(loss=loss, batches=(-0.1,), pretrained=True)

    assert evidence.saw == "the untrained model starts at -0.1, below zero"
    assert evidence.cause == cause
    assert found(loss="mse_loss", expected=1.0, batches=(-0.1,)) == []
