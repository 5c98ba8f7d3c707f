from typing import Any, cast

import pytest
import torch

from firstlight.experiments.inside.recital import follow
from firstlight.observe.inside.observer import Moments
from firstlight.observe.inside.taps.models import Call

TRUTH = torch.tensor([2, 0, 1])
SCORES = torch.tensor([[0.0, 1.0, 9.0], [0.0, 9.0, 1.0], [0.0, 9.0, 1.0]])


class Copy:
    """As much of an observer as is used."""

    def __init__(self, batch: Any) -> None:
        self.step = 0
        self.moments = Moments()
        self.tables: list[dict[str, Any]] = []
        follow(cast("Any", self), batch)

    def shielded(self, _tap: str, function: Any) -> Any:
        return function

    def note(self, _kind: type, /, **fields: Any) -> None:
        self.tables.append(fields)

    def call(self, output: Any, training: bool = True) -> None:
        for listener in self.moments.model_returned:
            listener(Call(torch.nn.Identity(), (), {}, [], output, training))


def test_each_example_is_told_with_its_class_and_what_was_said() -> None:
    copy = Copy([torch.zeros(3, 4), TRUTH])
    copy.call(SCORES)
    (table,) = copy.tables
    assert [row[:3] for row in table["rows"]] == [[0, 2, 2], [1, 0, 1], [2, 1, 1]]
    assert table["rows"][0][3] == pytest.approx(SCORES[0].softmax(0)[2].item())
    assert table["confidence_min"] <= table["confidence_mean"] <= table["confidence_max"]


def test_probabilities_are_taken_as_they_are() -> None:
    copy = Copy({"labels": TRUTH})
    copy.call({"logits": torch.tensor([[0.1, 0.2, 0.7]] * 3)})
    assert copy.tables[0]["rows"][0][3] == pytest.approx(0.7)


def test_a_step_is_told_once_and_only_some_steps_are() -> None:
    copy = Copy([TRUTH])
    for step in (0, 0, 4, 5):
        copy.step = step
        copy.call(SCORES)
    assert [table["step"] for table in copy.tables] == [0, 5]


def test_a_call_without_gradients_is_no_answer() -> None:
    copy = Copy([TRUTH])
    copy.call(SCORES, training=False)
    assert copy.tables == []


@pytest.mark.parametrize(
    ("batch", "output"),
    [
        ([torch.zeros(3, 4)], SCORES),
        ([torch.zeros(3)], SCORES),
        ([TRUTH], SCORES[:2]),
        ([TRUTH], SCORES[:, :2]),
        ([TRUTH - 1], SCORES),
        ([TRUTH], torch.zeros(3)),
    ],
    ids=["no classes", "real targets", "other examples", "too few scores", "class below zero", "one score"],
)
def test_what_is_no_classification_of_the_batch_is_passed_over(batch: Any, output: torch.Tensor) -> None:
    copy = Copy(batch)
    copy.call(output)
    assert copy.tables == []
