"""Which answers of a loss are related to the inputs of their examples."""

import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn

from firstlight.observe.inside.tape.tail import tail_of
from firstlight.observe.inside.taps.relations import _answers_met


def test_which_examples_belong_together_is_no_answer_of_one() -> None:
    """A mask over distances was read as values that they should have: a skill of -9."""
    torch.manual_seed(0)
    classes, model = torch.tensor([0, 0, 1, 1, 2, 2]), nn.Linear(3, 4)
    with taped() as recorder:
        z = model(torch.randn(6, 3))
        same = classes[:, None] == classes[None]
        apart = torch.cdist(z, z)
        nearest, furthest = (apart + 1e6 * same).min(1).values, (apart - 1e6 * ~same).max(1).values
        loss = (furthest - nearest + 0.3).clamp_min(0).mean()
    tail = tail_of(recorder, loss)

    assert tail is not None
    assert tail.meetings
    assert not _answers_met(tail)


def test_a_weight_is_an_answer_only_where_nothing_else_is() -> None:
    model, weight, answer = nn.Linear(3, 1), torch.rand(8, 1), torch.randn(8, 1)
    with taped() as recorder:
        loss = ((model(torch.randn(8, 3)) - answer).square() * weight).mean()
        alone = (model(torch.randn(8, 3)) * weight).mean()

    for value, met in ((loss, answer), (alone, weight)):
        tail = tail_of(recorder, value)
        assert tail is not None
        assert [meeting.answer is met for meeting in _answers_met(tail)] == [True]
