"""Losses that go by labels, right and turned round, in several forms."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch.nn import functional as F

from firstlight.checks.loss.strangers_pulled import CHECK
from firstlight.observe.inside.relations.kindred import Kindred, labels_compared
from firstlight.observe.inside.tape.attraction import embedded, pulled, suits
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.pairs import Labelled, PairsPulled

Model = Callable[[torch.Tensor], torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]
N = 24


def batch_all(z: torch.Tensor, labels: torch.Tensor, sign: int) -> torch.Tensor:
    z = F.normalize(z, dim=1)
    apart = -sign * z @ z.t()
    same = labels[:, None] == labels[None, :]
    valid = (same & ~torch.eye(N, dtype=torch.bool))[:, :, None] & ~same[:, None, :]
    return F.relu(apart[:, :, None] - apart[:, None, :] + 0.3)[valid].mean()


def batch_hard(z: torch.Tensor, labels: torch.Tensor, sign: int) -> torch.Tensor:
    apart, same = torch.cdist(z, z), torch.eq(labels.unsqueeze(0), labels.unsqueeze(1))
    furthest, nearest = apart.masked_fill(~same, -1).amax(1), apart.masked_fill(same, 99).amin(1)
    return F.softplus(sign * (furthest - nearest)).mean()


def supervised_contrastive(z: torch.Tensor, labels: torch.Tensor, sign: int) -> torch.Tensor:
    z, mask = F.normalize(z, dim=1), torch.eq(labels[:, None], labels[:, None].T).float()
    mask.fill_diagonal_(0)
    alike = (sign * z @ z.t() / 0.1).masked_fill(torch.eye(N, dtype=torch.bool), -1e9)
    return -(alike.log_softmax(1) * mask).sum(1).div(mask.sum(1).clamp(min=1)).mean()


def flags(z: torch.Tensor, labels: torch.Tensor, sign: int) -> torch.Tensor:
    apart, same = torch.cdist(z, z).square(), (labels[:, None] != labels[None]).float()
    same = 1 - same if sign > 0 else same
    return (same * apart + (1 - same) * F.relu(4 - apart)).mean()


def two_towers(z: torch.Tensor, labels: torch.Tensor, sign: int) -> torch.Tensor:
    """One batch of both, in blocks, and labels of one."""
    labels, (one, other) = labels[: N // 2], z.chunk(2)
    wanted = (labels[:, None] == labels[None]).float()
    return F.binary_cross_entropy_with_logits(sign * one @ other.t(), wanted)


LOSSES = [batch_all, batch_hard, supervised_contrastive, flags, two_towers]


def seen(loss: Loss, sign: int, of_network: bool = False) -> Labelled:
    torch.manual_seed(0)
    layer, found = torch.nn.Linear(12, 8), Kindred()
    for _ in range(6):
        with taped() as recorder:
            labels = torch.randint(0, 4, (N,))
            given = layer(torch.randn(4, 12)[labels] + torch.randn(N, 12))
            tail = tail_of(recorder, loss(given, given.detach().argmax(1) if of_network else labels, sign))
            assert tail is not None
            outputs = embedded(tail)
            assert suits(outputs)
            look = pulled(tail, outputs)
            assert look is not None
            found.add(look, labels_compared(tail), len(outputs))
    return found.seen()


def told(labelled: Labelled) -> list[str | None]:
    what = PairsPulled(step=4, site=None, looks=0, fixed=0.0, labelled=labelled)
    return [one.cause for one in CHECK.find(what, CHECK.limits)]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_that_goes_by_labels_is_left_alone(loss: Loss) -> None:
    labelled = seen(loss, 1)

    assert labelled.looks >= CHECK.limits.looks
    assert labelled.same > labelled.other
    assert told(labelled) == []


@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_that_pushes_one_label_apart_is_seen(loss: Loss) -> None:
    assert told(seen(loss, -1)) == ["loss-sign"]


def repelled(z: torch.Tensor, labels: torch.Tensor, _sign: int) -> torch.Tensor:
    """Of one label, and the others are left alone."""
    same = (labels[:, None] == labels[None]) & ~torch.eye(N, dtype=torch.bool)
    return (F.normalize(z, dim=1) @ F.normalize(z, dim=1).t())[same].mean()


def across_kinds(z: torch.Tensor, labels: torch.Tensor, sign: int) -> torch.Tensor:
    """Pulls together one label as it is seen by different cameras."""
    cameras = (torch.arange(N) + labels) % 2
    same, one_camera = labels[:, None] == labels[None], cameras[:, None] == cameras[None]
    apart = torch.cdist(z, z).square()
    return (apart[same & ~one_camera]).mean() - apart[~same & one_camera].clamp(max=9).mean()


@pytest.mark.parametrize("loss", [repelled, across_kinds])
def test_what_may_be_meant_is_left_alone(loss: Loss) -> None:
    assert told(seen(loss, 1)) == []


def test_labels_that_a_network_gave_itself_say_nothing() -> None:
    assert seen(batch_all, -1, of_network=True).looks == 0


FORETOLD = torch.ones(N, 2)


def forgotten(z: torch.Tensor, labels: torch.Tensor, sign: int) -> torch.Tensor:
    """The embedding is to foretell one thing, and to say nothing of another."""
    return F.mse_loss(z[:, :2], FORETOLD) + batch_all(z, labels, sign)


def test_what_is_done_by_labels_may_be_a_penalty_beside_other_answers() -> None:
    assert seen(forgotten, -1).looks == 0


def each_its_own(z: torch.Tensor, _labels: torch.Tensor, _sign: int) -> torch.Tensor:
    places = torch.arange(N)
    return (z @ z.t()).masked_fill(places[:, None] == places[None], -1e9).logsumexp(1).mean()


def test_labels_that_no_two_examples_share_say_nothing() -> None:
    assert seen(each_its_own, 1).looks == 0
