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
from firstlight.observe.inside.tape.reach import reaches
from firstlight.observe.inside.tape.recorder import Mark, Recorder, walk
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


class Coupling(nn.Module):
    """Half of its input says how the other half is stretched, within bounds, and moved."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self.net = nn.Linear(2, 4)
        self.mask = torch.eye(2)[first]

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        stretch, move = self.net(x * self.mask).chunk(2, 1)
        stretch = torch.tanh(stretch) * (1 - self.mask)
        return x * torch.exp(stretch) + move * (1 - self.mask), stretch.sum(1)


def flow_of(couplings: int) -> tuple[Recorder, torch.Tensor]:
    torch.manual_seed(0)
    layers = [Coupling(at % 2) for at in range(couplings)]
    with taped() as recorder:
        z, stretched = torch.randn(16, 2), torch.zeros(16)
        for layer in layers:
            z, more = layer(z)
            stretched = stretched + more
        value = (0.5 * z.square().sum(1) - stretched).mean()
    return recorder, value


def test_what_the_next_layer_of_a_flow_reads_is_no_prediction() -> None:
    """Computed again with another stretch, the couplings behind it would keep what they made of the old one."""
    recorder, value = flow_of(2)
    tail, every = tail_of(recorder, value), tail_of(recorder, value, read_again=True)

    assert tail is not None
    assert every is not None
    assert not tail.meetings
    assert not list(reaches(tail))
    assert list(reaches(every)), "it would be told as an activation that keeps answers out of reach"


def test_the_last_layer_of_a_flow_meets_data() -> None:
    recorder, value = flow_of(1)
    tail = tail_of(recorder, value)

    assert tail is not None
    assert tail.meetings


def test_a_decoder_fed_with_its_own_outputs_is_compared_with_answers() -> None:
    torch.manual_seed(0)
    model, answers = nn.Linear(2, 2), torch.randn(3, 16, 2)
    with taped() as recorder:
        made = [model(torch.randn(16, 2))]
        for _ in range(2):
            made.append(model(made[-1]))
        value = sum(((one - answer) ** 2).mean() for one, answer in zip(made, answers, strict=True))
    assert isinstance(value, torch.Tensor)
    tail = tail_of(recorder, value)

    assert tail is not None
    assert len(tail.meetings) == 3


def test_trained_weights_of_several_losses_are_no_part_of_the_network() -> None:
    """Whether they are numbers of their own or one vector."""
    torch.manual_seed(0)
    body, far, near = nn.Linear(3, 8), nn.Linear(8, 1), nn.Linear(8, 1)
    log_var = nn.Parameter(torch.zeros(2))
    high, low = torch.randn(16, 1), torch.randn(16, 1)
    with taped() as recorder:
        h = body(torch.randn(16, 3)).relu()
        losses = torch.stack([F.mse_loss(far(h), high), ((near(h) - low) ** 2).mean()])
        value = (torch.exp(-log_var) * losses + log_var).sum() / 2
    tail = tail_of(recorder, value)

    assert tail is not None
    assert {id(meeting.answer) for meeting in tail.meetings} == {id(high), id(low)}
    assert torch.equal(tail.replay({id(high): high, id(low): low}), value)
    assert len(recorder.entered) == 1, "the weights let nothing in"


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


@pytest.mark.parametrize("dtype", [torch.bool, torch.float32, torch.int64])
def test_what_is_said_of_pairs_goes_along_with_both(dtype: torch.dtype) -> None:
    classes = torch.tensor([0, 0, 1, 1, 2, 2])
    same = (classes[:, None] == classes[None]).to(dtype)
    (found,) = permuted({0: same}, torch.Generator().manual_seed(1)).values()
    (alone,) = permuted({0: torch.eye(6).to(dtype)}, torch.Generator().manual_seed(1)).values()

    assert bool(found.diagonal().all()), "each still belongs to itself"
    assert not torch.equal(found, same)
    assert not bool(alone.diagonal().all()), "it would be the same whichever example it belonged to"


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
