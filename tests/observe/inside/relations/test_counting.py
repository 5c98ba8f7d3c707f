from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch.nn import functional as F

from firstlight.observe.inside.relations.counting import RowsCounted
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.relations import RowsReached

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def counted(loss: Loss, steps: int = 4, size: int = 8, same: int = 0) -> RowsReached:
    """With the same examples in the last `same` rows of every batch."""
    torch.manual_seed(0)
    model, found = torch.nn.Linear(3, 2), RowsCounted()
    kept = torch.randn(same, 3)
    for _ in range(steps):
        inputs, answers = torch.cat([torch.randn(size - same, 3), kept]), torch.randint(0, 2, (size,))
        with taped() as recorder:
            root = loss(model(inputs), answers)
            tail = tail_of(recorder, root)
            assert tail is not None
            found.add(tail, [inputs])
    return found.seen()


def masked(predicted: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(predicted, torch.cat([answers[:2], torch.full_like(answers[2:], -100)]))


def weighted(predicted: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    each = (predicted[:, 0] - answers) ** 2
    return (each * (torch.arange(len(answers)) < 2)).sum()


def at_random(predicted: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(predicted, torch.where(torch.rand(len(answers)) < 0.5, -100, answers))


@pytest.mark.parametrize(("loss", "never"), [(F.cross_entropy, 0), (masked, 6), (weighted, 6), (at_random, 0)])
def test_rows_that_never_count_are_told_from_rows_that_count_now_and_then(loss: Loss, never: int) -> None:
    assert counted(loss, steps=12) == RowsReached(steps=12, rows=8, never=never)


@pytest.mark.parametrize(("same", "never"), [(8, 0), (6, 0), (3, 3)])
def test_examples_whose_answers_are_kept_back_are_not_rows_of_a_batch(same: int, never: int) -> None:
    assert counted(masked, steps=12, same=same).never == never


def test_nothing_is_left_behind_in_the_program() -> None:
    model = torch.nn.Linear(3, 2)
    inputs, answers, found = torch.randn(8, 3), torch.randint(0, 2, (8,)), RowsCounted()
    with taped() as recorder:
        root = masked(model(inputs), answers)
        tail = tail_of(recorder, root)
    assert tail is not None
    found.add(tail, [inputs])

    assert model.weight.grad is None
    root.backward()
    assert model.weight.grad is not None
