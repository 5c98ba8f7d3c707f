"""Calls on the way of the data into the network that leave few values of many."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from tests.observe.inside.tape.tapes import taped
from torch import nn

from firstlight.observe.inside.tape.levels import Levelled, change_of, levelled, levelled_answers, levels
from firstlight.observe.inside.tape.tail import tail_of

torch.manual_seed(0)
X = torch.randn(32, 6)
Change = Callable[[torch.Tensor], torch.Tensor]


def seen(change: Change) -> dict[str, tuple[float, float]]:
    model = nn.Linear(6, 2)
    with taped() as recorder:
        recorder.whole = True
        model(change(X)).sum()
    return {one.operation: (one.change.before, one.change.after) for one in levelled(recorder.entered, recorder)}


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda x: x.clamp(-0.01, 0.01), "clamp"),
        (lambda x: torch.cat([x[:, :2], x[:, 2:].sign()], 1).clamp(-0.01, 0.01), "clamp"),
        (lambda x: torch.floor(x / 4), "floor"),
    ],
)
def test_a_coarse_call_is_seen_behind_others(change: Change, name: str) -> None:
    before, after = seen(change)[name]

    assert before < 0.2
    assert after > 0.9


@pytest.mark.parametrize("change", [lambda x: x.clamp(-3, 3), lambda x: (x - x.mean(0)) / 2, lambda x: x.exp()])
def test_other_calls_leave_the_values_many(change: Change) -> None:
    assert all(after < 0.2 for _, after in seen(change).values())


@pytest.mark.parametrize(
    "change",
    [
        lambda x: (x > 0).float(),
        lambda x: torch.bernoulli(x.sigmoid()),
        lambda x: x * (x > 9),
        lambda x: (0.4 * x.tanh()).round() * 2,
        torch.ones_like,
    ],
    ids=["a comparison", "drawn", "a mask", "rounded", "of its shape alone"],
)
def test_what_is_meant_to_be_on_or_off_is_not_asked(change: Change) -> None:
    assert not any(before < 0.5 < after for before, after in seen(change).values())


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        (torch.relu, True),
        (lambda x: x.clamp(-0.01, 0.01), True),
        (lambda x: x.long().float(), True),
        (lambda x: x.clamp(-2, 2), False),
        (lambda x: (x * 10).long() / 10, False),
        (torch.exp, False),
    ],
)
def test_what_a_call_loses(call: Change, asked: bool) -> None:
    values = torch.randn(4000, 2, generator=torch.Generator().manual_seed(0))
    change = change_of(values, call(values))

    assert change is not None
    assert levels(change) is asked


def test_flags_beside_numbers_have_nothing_to_lose() -> None:
    values = torch.randn(400, 4, generator=torch.Generator().manual_seed(0))
    values[:, 1:] = values[:, 1:].sign()
    change = change_of(values, values.relu())

    assert change is not None
    assert levels(change)
    assert change_of(values[:, 1:], values[:, 1:].relu()) is None


def answered(loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], answers: torch.Tensor) -> list[Levelled]:
    model = nn.Linear(6, 4)
    with taped() as recorder:
        recorder.whole = True
        found = loss(model(X), answers)
    tail = tail_of(recorder, found)
    assert tail is not None
    return list(levelled_answers(tail, recorder, len(X)))


CLASSES = torch.arange(32) % 4
NUMBERS = torch.randn(32, 4, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("loss", "gone"),
    [
        (lambda p, t: F.cross_entropy(p, t % t.max()), [(1, False)]),
        (lambda p, t: F.cross_entropy(p, (t - 1).clamp(min=0)), [(1, False)]),
        (lambda p, t: F.cross_entropy(p, (t // 2).view(-1)), [(2, False)]),
        (lambda p, t: F.nll_loss(p.log_softmax(1), t, ignore_index=0), [(1, True)]),
        (lambda p, t: F.cross_entropy(p[:, :2], t.clamp(max=1)), []),
        (lambda p, t: F.cross_entropy(p[:, :2], t // 2), []),
        (lambda p, t: F.cross_entropy(p, (t > 1).long()), []),
        (lambda p, t: F.cross_entropy(p, (t + 1) % 4), []),
        (lambda p, t: F.cross_entropy(p, t[torch.randperm(32)]), []),
        (lambda p, t: F.cross_entropy(p.repeat(2, 1), t.repeat(2), ignore_index=0), []),
    ],
    ids=["modulo", "too low", "halved", "ignored", "two", "pairs", "yes or no", "moved on", "dealt", "many"],
)
def test_classes_that_are_answers_no_more(
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], gone: list[tuple[int, bool]]
) -> None:
    assert [(one.gone, one.ignored) for one in answered(loss, CLASSES)] == gone


@pytest.mark.parametrize(
    ("loss", "asked"),
    [
        (lambda p, t: F.mse_loss(p, t.long().float()), True),
        (lambda p, t: (p - t.clamp(min=0)).square().mean(), True),
        (lambda p, t: F.mse_loss(p, t / 3), False),
        (lambda p, t: F.mse_loss(p, (t * 50).long() / 50), False),
        (lambda p, t: F.binary_cross_entropy_with_logits(p, t.sign().clamp(min=0)), False),
    ],
)
def test_numbers_that_lose_what_they_differ_by(
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], asked: bool
) -> None:
    assert any(levels(one.change) for one in answered(loss, NUMBERS)) is asked


@pytest.mark.parametrize(
    ("prepare", "lost", "wrapped"),
    [
        (lambda x: torch.tensor(x, dtype=torch.uint8).float(), True, True),
        (lambda x: torch.tensor(x, dtype=torch.int8).float(), True, False),
        (lambda x: torch.tensor(x) // 2, True, False),
        (lambda x: torch.tensor((x * 100).round(), dtype=torch.int16).float(), False, False),
    ],
)
def test_a_cast_before_training_is_remembered(prepare: Callable[..., torch.Tensor], lost: bool, wrapped: bool) -> None:
    model = nn.Linear(6, 2)
    with taped() as recorder:
        data = prepare(X.numpy())
        recorder.whole = True
        model(data[torch.arange(8)]).sum()
    (found,) = (one for one in levelled(recorder.entered, recorder) if one.cast)

    assert levels(found.change) is lost
    assert (found.wrapped > 0.1) is wrapped


def test_classes_that_were_merged_before_training_are_remembered() -> None:
    model = nn.Linear(6, 4)
    with taped() as recorder:
        answers = CLASSES % 3
        recorder.whole = True
        loss = F.cross_entropy(model(X[:8]), answers[torch.arange(8)])
    tail = tail_of(recorder, loss)

    assert tail is not None
    assert [(one.of, one.gone) for one in levelled_answers(tail, recorder, 8)] == [("classes", 1)]


@pytest.mark.parametrize("given", [X.numpy()[0, 0], X.numpy()[:, ::2], [0.5, 1.5], 3.5, X.numpy() > 0])
def test_whatever_a_tensor_is_made_of(given: object) -> None:
    with taped() as recorder:
        made = torch.tensor(given)

    assert recorder.made(made) is not None


PADDED = torch.tensor([[1, 2, 3, 1], [2, 3, 1, 0], [3, 1, 0, 0], [1, 0, 0, 0]] * 4)
"""Sequences whose last places are padding, by 0."""


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (PADDED, False),
        (PADDED.T.contiguous(), False),
        (PADDED.flip(1), False),
        (torch.tensor([[1, 0, 3, 1], [2, 3, 1, 0], [0, 1, 0, 0], [1, 0, 2, 0]] * 4), True),
        (torch.tensor([[1, 2, 3, 1]] * 16), False),
    ],
    ids=["padded", "sequences as columns", "padded in front", "a class among others", "not there"],
)
def test_an_ignored_class_is_missed_where_it_is_no_padding(table: torch.Tensor, found: bool) -> None:
    many = answered(lambda p, t: F.cross_entropy(p.repeat(2, 1), t.reshape(-1), ignore_index=0), table)

    assert [one.ignored for one in many] == [True] * found


@pytest.mark.parametrize(
    ("labels", "lengths", "options", "told"),
    [
        (torch.tensor([0, 1, 2, 1]), [2, 2], {}, 1),
        (torch.tensor([3, 1, 2, 1]), [2, 2], {}, 0),
        (torch.tensor([3, 1, 2, 1]), [2, 2], {"blank": 3}, 1),
        (torch.tensor([0, 1, 2, 1]), [2, 2], {"blank": 3}, 0),
        (torch.tensor([[1, 2, 0], [3, 0, 0]]), [2, 1], {}, 0),
        (torch.tensor([[1, 0, 2], [3, 0, 0]]), [3, 1], {}, 1),
    ],
    ids=["a label", "none", "named, a label", "named, none", "padding", "a label among others"],
)
def test_a_label_that_ctc_takes_for_its_blank(
    labels: torch.Tensor, lengths: list[int], options: dict[str, Any], told: int
) -> None:
    model = nn.Linear(6, 4)
    with taped() as recorder:
        recorder.whole = True
        scores = model(X[:20]).view(10, 2, 4).log_softmax(-1)
        answers = labels[torch.arange(len(labels))]
        loss = F.ctc_loss(scores, answers, torch.tensor([10, 10]), torch.tensor(lengths), **options)
    tail = tail_of(recorder, loss)

    assert tail is not None
    found = list(levelled_answers(tail, recorder, 2))

    assert [(one.operation, one.gone, one.ignored) for one in found] == told * [("ctc_loss", 1, True)]
