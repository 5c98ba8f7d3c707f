"""Where predictions meet answers is found for losses of any form, and the loss can be computed again from there."""

import gc
import weakref
from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.examples import Examples, differing, permuted
from firstlight.observe.inside.tape.recorder import Mark, walk
from firstlight.observe.inside.tape.tail import Tail, tail_of

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def by_hand(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    return -torch.log_softmax(scores, 1)[torch.arange(len(classes)), classes].mean()


def gathered(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    return -torch.log_softmax(scores, 1).gather(1, classes.unsqueeze(1)).mean()


def one_hot(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    return ((scores.softmax(1) - F.one_hot(classes, 4).float()) ** 2).sum(1).mean()


def summed_up(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(())
    for score, answer in zip(scores.split(4), classes.split(4), strict=True):
        total = total + F.cross_entropy(score, answer)
    total /= 2
    return total


def of_pairs(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    """Examples of one class belong together; a mask says which, and an example is not its own partner."""
    own = torch.eye(len(scores), dtype=torch.bool)
    log_p = (scores @ scores.t()).masked_fill(own, -1e9).log_softmax(1)
    alike = (classes[:, None] == classes[None, :]) & ~own
    return -((log_p * alike).sum(1) / alike.sum(1).clamp(min=1)).mean()


def in_place(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    loss = F.cross_entropy(scores[:4], classes[:4])
    loss += F.cross_entropy(scores[4:], classes[4:])
    return loss


def with_penalty(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(scores, classes) + 1e-2 * scores.square().mean()


def tail_for(loss: Loss) -> tuple[Tail, torch.Tensor]:
    torch.manual_seed(0)
    with taped() as recorder:
        model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
        classes = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])
        value = loss(model(torch.randn(8, 3)), classes)
    found = tail_of(recorder, value)
    assert found is not None
    return found, value


LOSSES = [F.cross_entropy, by_hand, gathered, one_hot, of_pairs, summed_up, in_place, with_penalty]


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_is_computed_again_and_depends_on_the_order_of_the_answers(loss: Loss) -> None:
    tail, value = tail_for(loss)
    answers = {id(meeting.answer): meeting.answer for meeting in tail.meetings}
    again = tail.replay(answers)
    assert torch.equal(again, value)
    others = [tail.replay(permuted(answers, torch.Generator().manual_seed(seed))).item() for seed in range(8)]
    assert 1e-3 < max(others) - min(others) < 1e3
    assert torch.equal(tail.replay(answers), value), "a replay leaves nothing behind"


def test_the_network_is_not_part_of_the_tail() -> None:
    tail, _ = tail_for(F.cross_entropy)
    assert [row.name for row in tail.rows] == ["cross_entropy"]


def test_how_weights_were_made_is_not_part_of_the_tape() -> None:
    with taped() as recorder:
        recorder.whole = True
        loss = nn.Linear(3, 1)(torch.randn(8, 3)).square().mean()
    made = recorder.made(loss)
    assert made is not None
    assert sorted(row.name for row in walk(made[0], within=True)) == ["linear", "mean", "square"]


def test_models_of_plain_tensors_have_a_tail_too() -> None:
    with taped() as recorder:
        weight = torch.randn(3, 1)
        weight.requires_grad_()
        x, y = torch.randn(8, 3), torch.randn(8, 1)
        loss = ((x @ weight - y) ** 2).mean()
    tail = tail_of(recorder, loss)
    assert tail is not None
    assert [meeting.answer is y for meeting in tail.meetings] == [True]


def test_an_index_that_picks_examples_is_no_answer() -> None:
    with taped() as recorder:
        picked, y = torch.tensor([3, 1, 2]), torch.tensor([0, 1, 2, 0, 1])
        loss = F.cross_entropy(nn.Linear(2, 3)(torch.randn(5, 2))[picked], y[picked])
    tail = tail_of(recorder, loss)
    assert tail is not None
    assert [meeting.answer.tolist() for meeting in tail.meetings] == [[0, 1, 2]]


def test_answers_of_the_networks_own_are_known_as_such() -> None:
    with taped() as recorder:
        model, x = nn.Linear(2, 1), torch.randn(5, 2)
        with torch.no_grad():
            bootstrap = 1.0 + 0.9 * model(x)
        loss = F.mse_loss(model(x), bootstrap)
    tail = tail_of(recorder, loss)
    assert tail is not None
    assert tail.own_answers


def test_a_loss_without_answers_has_no_meeting() -> None:
    with taped() as recorder:
        model = nn.Linear(4, 4)
        anchor, other = model(torch.randn(6, 4)), model(torch.randn(6, 4))
        loss = (anchor - other).square().mean()
    tail = tail_of(recorder, loss)
    assert tail is not None
    assert not tail.meetings


def test_a_mask_over_weights_is_not_data() -> None:
    with taped() as recorder:
        layer = nn.Linear(3, 3)
        mask = torch.ones(3, 3).tril()
        recorder.buffer(mask)
        x = torch.randn(4, 3)
        loss = F.mse_loss(F.linear(x, layer.weight * mask), x)
        assert recorder.entered[-1] is x
    tail = tail_of(recorder, loss)
    assert tail is not None
    assert [meeting.answer is x for meeting in tail.meetings] == [True]


def test_a_buffer_behind_the_network_is_a_part_of_the_loss() -> None:
    """Before it, what meets a buffer goes into the network."""
    with taped() as recorder:
        layer, scale = nn.Linear(3, 3), torch.tensor([1.0, 2.0, 3.0])
        recorder.buffer(scale)
        x, y = torch.randn(4, 3), torch.randn(4, 3)
        loss = F.mse_loss(layer(x * scale) * scale, y)
        assert recorder.entered[0] is x
    tail = tail_of(recorder, loss)
    assert tail is not None
    assert [row.name for row in tail.rows] == ["mul", "mse_loss"]
    assert [meeting.answer is y for meeting in tail.meetings] == [True]


def test_what_the_program_lets_go_of_the_tape_lets_go_of() -> None:
    with taped() as recorder:
        x = torch.randn(4, 3)
        value = nn.Linear(3, 3)(x)
        for _ in range(5000):
            value = value * 1.0
        middle = weakref.ref(value)
        end = value.sum()
        del value
        gc.collect()
        assert middle() is not None, "a row holds what it was given"
        del end
        torch.zeros(1)
        assert middle() is None
        assert len(recorder._made) < 20


def test_marks_travel_through_calls_without_gradient() -> None:
    with taped() as recorder:
        model = nn.Linear(2, 2)
        with torch.no_grad():
            chosen = model(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).argmax(1).float() + 1
    made = recorder.made(chosen)
    assert made is not None
    assert made[0].marks & Mark.TRAINED
    assert made[0].marks & Mark.DATA


def test_one_order_for_all_answers_and_blocks_stay_whole() -> None:
    short, long = torch.arange(5), torch.arange(15)
    found = permuted({1: short, 2: long}, torch.Generator().manual_seed(3))
    assert sorted(found[1].tolist()) == list(range(5))
    assert found[2].reshape(5, 3)[:, 0].tolist() == [3 * at for at in found[1].tolist()]


def test_examples_are_known_again_in_any_order() -> None:
    known, batch = Examples(), torch.randn(8, 3)
    assert known.mostly_new([batch])
    assert not known.mostly_new([batch.flip(0)])
    assert known.mostly_new([torch.cat([batch[:3], torch.randn(5, 3)])])


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (torch.ones(4, 3), 1),
        (torch.ones(4, 3) + torch.tensor([0, 1e-7, 0, 0]).unsqueeze(1), 1),
        (torch.ones(4, 3) + torch.tensor([0, 1e-5, 0, 0]).unsqueeze(1), 2),
        (torch.ones(4, 3).bfloat16() + torch.tensor([0, 0.01, 0, 0]).unsqueeze(1).bfloat16(), 2),
        (torch.arange(4).unsqueeze(1), 4),
        (torch.full((4, 3), torch.nan), None),
        (torch.ones(3, 4), None),
    ],
)
def test_examples_are_told_apart_up_to_rounding(rows: torch.Tensor, count: int | None) -> None:
    assert differing(rows, 4) == count


def test_what_says_which_prediction_counts_is_an_answer_and_a_mask_or_a_bend_is_none() -> None:
    truth, network, fed = torch.arange(8) % 2 == 0, torch.nn.Linear(3, 1), torch.randn(8, 3)

    def answers(choose: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
        with taped() as recorder:
            value = choose(network(fed)[:, 0]).mean()
        found = tail_of(recorder, value)
        assert found is not None
        return [meeting.answer for meeting in found.meetings]

    (met,) = answers(lambda score: torch.where(truth, score.sigmoid(), 1 - score.sigmoid()))
    assert met is truth
    assert answers(lambda score: torch.where(truth, score, 0.0)) == []
    assert answers(lambda score: torch.where(score.abs() < 1, score.square(), score.abs())) == []
