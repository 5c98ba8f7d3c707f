"""The axis along which predictions add up to one, beside that along which answers choose among them."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.normalised import normalised_elsewhere
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import AxisSeen

Loss = Callable[[torch.Tensor], torch.Tensor]
INPUTS = torch.randn(8, 5, 3, generator=torch.Generator().manual_seed(0))
TAGS = torch.arange(40).reshape(8, 5) % 4
FIRST = TAGS[:, 0]
SOFT = F.one_hot(FIRST, 4) * 0.8 + 0.05


def ctc(likelihoods: torch.Tensor) -> torch.Tensor:
    lengths = torch.full((8,), 5), torch.full((8,), 2)
    return F.ctc_loss(likelihoods, torch.arange(16) % 3 + 1, *lengths)


def asked(loss: Loss) -> list[AxisSeen]:
    torch.manual_seed(0)
    with taped() as recorder:
        value = loss(nn.Linear(3, 4)(INPUTS))
    tail = tail_of(recorder, value)
    assert tail is not None
    return list(normalised_elsewhere(tail))


@pytest.mark.parametrize(
    ("loss", "axis", "chosen"),
    [
        pytest.param(lambda z: -z.log_softmax(1).gather(-1, TAGS[..., None]).mean(), 1, 2, id="gather"),
        pytest.param(lambda z: -z.softmax(0).gather(2, TAGS[..., None]).log().mean(), 0, 2, id="probabilities"),
        pytest.param(lambda z: -z[:, 0].softmax(0).log()[torch.arange(8), FIRST].mean(), 0, 1, id="index"),
        pytest.param(lambda z: -(F.one_hot(TAGS, 4) * z.log_softmax(1)).sum(-1).mean(), 1, 2, id="marked"),
        pytest.param(lambda z: F.nll_loss(z.log_softmax(1).transpose(1, 2), TAGS), 2, 1, id="nll-of-positions"),
        pytest.param(lambda z: F.nll_loss(z[:, 0].log_softmax(0), FIRST), 0, 1, id="nll-over-batch"),
        pytest.param(lambda z: ctc(z.transpose(0, 1).log_softmax(1)), 1, 2, id="alignment"),
        pytest.param(lambda z: -(SOFT * z[:, 0].log_softmax(0)).sum(1).mean(), 0, 1, id="shares"),
        pytest.param(lambda z: F.kl_div(z[:, 0].log_softmax(0), SOFT, reduction="batchmean"), 0, 1, id="divergence"),
        pytest.param(
            lambda z: -(z - z.logsumexp(1, keepdim=True)).take_along_dim(TAGS[..., None], dim=2).mean(),
            1,
            2,
            id="by-hand",
        ),
    ],
)
def test_another_axis_than_that_of_the_classes_is_told(loss: Loss, axis: int, chosen: int) -> None:
    (found,) = asked(loss)
    assert (found.axis, found.chosen) == (axis, chosen)
    assert found.error > 0.05


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(lambda z: -z.log_softmax(-1).gather(-1, TAGS[..., None]).mean(), id="gather"),
        pytest.param(lambda z: -(F.one_hot(TAGS, 4) * z.log_softmax(-1)).sum(-1).mean(), id="marked"),
        pytest.param(lambda z: F.nll_loss(z.log_softmax(-1).transpose(1, 2), TAGS), id="nll"),
        pytest.param(lambda z: F.cross_entropy(z.transpose(1, 2), TAGS), id="scores"),
        pytest.param(lambda z: -z.log_softmax(1).gather(1, TAGS[:, :1, None].expand(8, 1, 4)).mean(), id="pointer"),
        pytest.param(lambda z: -(SOFT * z.softmax(2)[torch.arange(8), FIRST].log()).sum(1).mean(), id="whose"),
        pytest.param(lambda z: -(SOFT * z.log_softmax(2)[torch.arange(8), FIRST]).sum(1).mean(), id="whose-logarithms"),
        pytest.param(
            lambda z: -(SOFT * z.softmax(2).gather(1, FIRST[:, None, None].expand(8, 1, 4))[:, 0].log()).sum(1).mean(),
            id="whose-gathered",
        ),
        pytest.param(lambda z: -z[:4, 0].log_softmax(0).gather(1, FIRST[:4, None]).mean(), id="square"),
        pytest.param(lambda z: -z.log_softmax(-1)[..., :2].gather(-1, TAGS[..., None] % 2).mean(), id="cut-out"),
        pytest.param(lambda z: (z.sigmoid() - F.one_hot(TAGS, 4)).square().mean(), id="no-choice"),
        pytest.param(lambda z: -(z.log_softmax(1) * TAGS[..., None].expand(8, 5, 4).float()).mean(), id="weights"),
    ],
)
def test_the_axis_of_the_classes_is_quiet(loss: Loss) -> None:
    assert asked(loss) == []


Listwise = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
FEATURES, GRADES = torch.randn(40, 5, 3), torch.randn(40, 5)
CHOSEN = torch.arange(8) * 4


def of_lists(dim: int) -> Listwise:
    return lambda scores, grades: -(grades.softmax(dim) * scores.log_softmax(dim)).sum(dim).mean()


def divergence(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    shares = (grades / 2).exp() / (grades / 2).exp().sum(0)
    return F.kl_div(scores - scores.logsumexp(0), shares, reduction="batchmean")


def ranked(loss: Listwise, drawn: Callable[[torch.Tensor], torch.Tensor]) -> list[bool]:
    with taped() as recorder:
        recorder.whole = True
        features, grades = drawn(FEATURES), drawn(GRADES)
        value = loss(nn.Linear(3, 1)(features)[..., 0], grades)
    tail = tail_of(recorder, value)
    assert tail is not None
    return [one.drawn for one in normalised_elsewhere(tail, recorder.entered)]


@pytest.mark.parametrize("loss", [of_lists(0), divergence])
@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(lambda of: of[CHOSEN], id="by-number"),
        pytest.param(lambda of: of[CHOSEN.tolist()], id="by-list"),
        pytest.param(lambda of: of.index_select(0, CHOSEN), id="selected"),
        pytest.param(lambda of: torch.stack([of[at] for at in range(8)]), id="stacked"),
    ],
)
def test_examples_drawn_into_a_batch_share_nothing(
    loss: Listwise, drawn: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    assert ranked(loss, drawn) == [True]


@pytest.mark.parametrize(
    ("loss", "drawn"),
    [
        pytest.param(of_lists(1), lambda of: of[CHOSEN], id="items"),
        pytest.param(of_lists(0), lambda of: of[:8], id="not-drawn"),
        pytest.param(of_lists(0), lambda of: of[CHOSEN].transpose(0, 1), id="items-first"),
        pytest.param(of_lists(0), lambda of: torch.stack([of[at] for at in range(8)], 1), id="stacked-items-first"),
        pytest.param(of_lists(0), lambda of: of[:, CHOSEN % 5], id="items-drawn"),
        pytest.param(of_lists(0), lambda of: of[CHOSEN[:5]], id="square"),
    ],
)
def test_lists_within_an_example_are_quiet(loss: Listwise, drawn: Callable[[torch.Tensor], torch.Tensor]) -> None:
    assert ranked(loss, drawn) == []
