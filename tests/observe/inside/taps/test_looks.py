"""How many examples a tape is of."""

import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.tail import tail_of
from firstlight.observe.inside.taps.looks import count_examples

MODEL = nn.Sequential(nn.Embedding(9, 4), nn.Linear(4, 9))


def counted(tokens: torch.Tensor, places: int) -> int:
    with taped() as recorder:
        scores = MODEL(tokens)[:, :places]
        loss = F.cross_entropy(scores.reshape(-1, 9), tokens[:, :places].flatten())
    tail = tail_of(recorder, loss)
    assert tail is not None
    return count_examples(tail, recorder)


def test_answers_in_one_long_row_are_of_the_examples_that_were_fed() -> None:
    assert counted(torch.randint(0, 9, (6, 5)), places=5) == 6


def test_one_answer_each_is_an_example_each() -> None:
    assert counted(torch.randint(0, 9, (6, 5)), places=1) == 6
