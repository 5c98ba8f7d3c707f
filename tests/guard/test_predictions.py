"""What a fixed batch's outputs are taken for: scores of classes only where the targets number classes."""

import pytest
import torch
from torch import nn

from firstlight.guard.predictions import Predictions


def looked(model: nn.Module, given: object) -> tuple[tuple[int, ...], list[list[object]]]:
    found = Predictions(model, given).look()
    assert found is not None
    prediction, rows = found
    return prediction.classes, [list(row) for row in rows]


@pytest.mark.parametrize("targets", [torch.randn(8, 3), torch.randn(8)], ids=["as the output", "one each"])
def test_real_targets_make_no_classes(targets: torch.Tensor) -> None:
    classes, rows = looked(nn.Linear(4, 3), (torch.randn(8, 4), targets))
    assert classes == ()
    assert [row[3] for row in rows] == [None] * 8


def test_without_targets_outputs_are_numbers() -> None:
    assert looked(nn.Linear(4, 3), torch.randn(8, 4))[0] == ()


def test_numbered_targets_make_classes() -> None:
    targets = torch.tensor([0, 1, 2, 0])
    classes, rows = looked(nn.Identity(), (torch.eye(3)[targets] * 9, targets))
    assert classes == (0, 1, 2, 0)
    assert [row[1:3] for row in rows] == [[0, 0], [1, 1], [2, 2], [0, 0]]


@pytest.mark.parametrize("place", [1, -1])
def test_classes_lie_in_the_second_dimension_or_in_the_last(place: int) -> None:
    targets = torch.randint(3, (2, 5, 7))
    scores = (torch.eye(3)[targets] * 9).movedim(-1, place)
    classes, _ = looked(nn.Identity(), (scores, targets))
    assert list(classes) == targets.flatten().tolist()


def test_labels_of_a_first_batch_are_its_targets() -> None:
    class Scorer(nn.Module):
        def forward(self, x: torch.Tensor, labels: torch.Tensor | None = None) -> torch.Tensor:
            return x if labels is None else x.sum()

    model, targets = Scorer(), torch.tensor([2, 1])
    predictions = Predictions(model, "first")
    model(torch.eye(3)[targets] * 9, labels=targets)
    found = predictions.look()
    assert found is not None
    assert found[0].classes == (2, 1)
