from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.loss_detached import CHECK
from firstlight.records.facts import LossRoot
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

SEVERED = LossRoot(
    site=Site(file="train.py", line=25),
    backwards=120,
    first_step=0,
    cut=120,
    leaves=120,
    cut_by="item",
    cut_at=Site(file="train.py", line=19),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEVERED, **changes), CHECK.limits))


def test_names_the_operation_that_cut_the_graph() -> None:
    (evidence,) = found()

    assert evidence.saw.startswith("the loss of 120 of 120 backwards is a new leaf made with `requires_grad=True`")
    assert "the last cut before it was `item` at train.py:19" in evidence.saw
    assert evidence.wanted == "a loss computed from the model's outputs by differentiable operations"
    assert evidence.do == "look at train.py:19: keep the tensor there instead of `item`"
    assert (evidence.where.file, evidence.where.line, evidence.where.step) == ("train.py", 25, 0)


def test_without_a_known_cut_the_general_advice_stands() -> None:
    (evidence,) = found(leaves=0, cut_by=None, cut_at=None)

    assert evidence.saw == "the loss of 120 of 120 backwards has no graph behind it"
    assert evidence.do is None


def test_one_severed_backward_is_enough() -> None:
    (evidence,) = found(cut=1, leaves=0)

    assert "1 of 120 backwards" in evidence.saw


def test_connected_losses_are_fine() -> None:
    assert found(cut=0, leaves=0) == []
