"""Which answers of a loss are related to the inputs of their examples."""

from typing import Any

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn

from firstlight.observe.inside.tape.tail import tail_of
from firstlight.observe.inside.taps.relations import _answers_met, _puts_in_order


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


@pytest.mark.parametrize(
    ("loss", "put"),
    [
        (lambda said, told, order: (said[order] - told[order]).square().mean(), True),
        (lambda said, told, order: (said.index_select(0, order).cumsum(0) - told[order]).square().mean(), True),
        (lambda said, told, order: (said - told[order]).square().mean(), False),
        (lambda said, told, order: (said[order[:3]] - told[order[:3]]).square().mean(), False),
    ],
)
def test_predictions_that_are_sorted_on_the_way(loss: Any, put: bool) -> None:
    told = torch.tensor([3.0, 1.0, 4.0, 1.5, 9.0])
    with taped() as recorder:
        value = loss(torch.nn.Linear(2, 1)(torch.randn(5, 2))[:, 0], told, told.argsort())
    tail = tail_of(recorder, value)
    assert tail is not None

    assert [_puts_in_order(meeting) for meeting in tail.meetings] == [put]
