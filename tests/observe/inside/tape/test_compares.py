"""Predictions meet answers where they are compared with data last; data that the network uses before is no answer."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.tail import Tail, tail_of

Tensors = dict[str, torch.Tensor]
Loss = Callable[[torch.Tensor, Tensors], torch.Tensor]


def data() -> Tensors:
    return {
        "x": torch.randn(8, 4),
        "y": torch.randn(8, 4),
        "mask": (torch.arange(32).reshape(8, 4) % 3 > 0).float(),
        "weight": torch.rand(8),
        "mean": torch.randn(8, 1),
        "scale": torch.rand(8, 1) + 1,
        "classes": torch.tensor([0, 1, 2, 3, 0, 1, 2, 3]),
        "old": torch.randn(8),
        "advantage": torch.randn(8),
    }


def met(loss: Loss) -> tuple[list[str], Tail]:
    torch.manual_seed(0)
    with taped() as recorder:
        given = data()
        value = loss(nn.Linear(4, 4)(given["x"]), given)
    tail = tail_of(recorder, value)
    assert tail is not None
    of = {id(tensor): name for name, tensor in given.items()}
    return sorted({of.get(id(meeting.answer), "?") for meeting in tail.meetings}), tail


def with_variation(out: torch.Tensor, d: Tensors) -> torch.Tensor:
    image = d["x"] - out
    return F.mse_loss(image, d["y"]) + 1e-3 * (image[:, 1:] - image[:, :-1]).abs().mean()


def inpainted(out: torch.Tensor, d: Tensors) -> torch.Tensor:
    return F.l1_loss(d["mask"] * d["x"] + (1 - d["mask"]) * out, d["y"])


def clipped_values(out: torch.Tensor, d: Tensors) -> torch.Tensor:
    value = out[:, 0]
    near = d["old"] + (value - d["old"]).clamp(-0.2, 0.2)
    return torch.max((value - d["weight"]) ** 2, (near - d["weight"]) ** 2).mean()


def chosen(out: torch.Tensor, d: Tensors) -> torch.Tensor:
    return -(out + d["x"]).log_softmax(1)[torch.arange(8), d["classes"]].mean()


NETWORKS: list[tuple[Loss, list[str]]] = [
    (lambda out, d: F.mse_loss(d["x"] - out, d["y"]), ["y"]),
    (lambda out, d: ((d["x"] + out - d["y"]) ** 2).mean(), ["y"]),
    (with_variation, ["y"]),
    (lambda out, d: F.mse_loss(d["x"] + out, d["x"]), ["x"]),
    (lambda out, d: F.mse_loss(out * d["scale"] + d["mean"], d["y"]), ["y"]),
    (lambda out, d: F.mse_loss(out * d["mask"], d["y"]), ["y"]),
    (lambda out, d: F.cross_entropy(out + d["x"], d["classes"]), ["classes"]),
    (lambda out, d: (1 - F.cosine_similarity(d["x"] + out, d["y"])).mean(), ["y"]),
    (inpainted, ["y"]),
    (clipped_values, ["weight"]),
    (chosen, ["classes"]),
]
"""Skips, residuals, scales and masks before the comparison."""


@pytest.mark.parametrize(("loss", "answers"), NETWORKS)
def test_data_that_the_network_uses_is_no_answer(loss: Loss, answers: list[str]) -> None:
    assert met(loss)[0] == answers


def ratio(out: torch.Tensor, d: Tensors) -> torch.Tensor:
    likely = out.log_softmax(1).gather(1, d["classes"].unsqueeze(1)).squeeze(1)
    return -((likely - d["old"]).exp() * d["advantage"]).mean()


AFTERWARDS: list[tuple[Loss, str]] = [
    (lambda out, d: ((out - d["y"]) ** 2 * d["mask"]).mean(), "y"),
    (lambda out, d: ((out - d["y"]) * d["mask"]).square().mean(), "y"),
    (lambda out, d: (F.mse_loss(out, d["y"], reduction="none") * d["mask"]).sum() / d["mask"].sum(), "y"),
    (lambda out, d: (F.cross_entropy(out, d["classes"], reduction="none") * d["weight"]).mean(), "classes"),
    (lambda out, d: (F.cross_entropy(out, d["classes"], reduction="none") - d["weight"]).mean(), "classes"),
    (lambda out, d: ((out - d["y"]).square().mean(1) - d["weight"]).mean(), "y"),
    (lambda out, d: ((out - d["y"]).abs() / d["scale"]).mean(), "y"),
    (lambda out, d: F.mse_loss(out - d["y"], torch.zeros(8, 4)), "y"),
    (ratio, "old"),
]
"""Masks, weights, baselines and advantages."""


@pytest.mark.parametrize(("loss", "answer"), AFTERWARDS)
def test_what_is_done_to_a_comparison_takes_no_answer_away(loss: Loss, answer: str) -> None:
    assert answer in met(loss)[0]


def two_terms(out: torch.Tensor, d: Tensors) -> torch.Tensor:
    return F.mse_loss(d["x"] - out, d["y"]) + F.cross_entropy(out, d["classes"])


def test_each_term_has_its_answers() -> None:
    assert met(two_terms)[0] == ["classes", "y"]


def test_an_action_and_what_it_was_worth_are_answers_both() -> None:
    def temporal_difference(out: torch.Tensor, d: Tensors) -> torch.Tensor:
        return F.mse_loss(out.gather(1, d["classes"].unsqueeze(1)).squeeze(1), d["weight"])

    found, tail = met(temporal_difference)
    assert "weight" in found
    assert [meeting.row.name for meeting in tail.meetings] == ["gather", "mse_loss"]


def test_a_difference_that_nothing_follows_is_the_comparison() -> None:
    assert met(lambda out, d: (d["x"] - out).square().mean())[0] == ["x"]


def test_likelihoods_of_torch_compare_too() -> None:
    found = met(lambda out, d: -torch.distributions.Normal(d["x"] + out, 1.0).log_prob(d["y"]).mean())[0]
    assert "y" in found
    assert "x" not in found
