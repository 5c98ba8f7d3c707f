"""Sums are taken apart into what was added up, whatever way it was written."""

from collections.abc import Callable

import pytest
import torch

from firstlight.experiments.inside.term_steering import _is_aside, _Sums, _term, _times_averaged
from firstlight.observe.inside.graph import summands

Terms = dict[str, torch.Tensor]


def in_place(t: Terms) -> torch.Tensor:
    loss = t["a"] * 1.0
    loss += t["b"]
    loss -= t["c"]
    return loss


WAYS: dict[str, tuple[Callable[[Terms], torch.Tensor], list[float]]] = {
    "one": (lambda t: t["a"], [2.0]),
    "two": (lambda t: t["a"] + t["b"], [2.0, 3.0]),
    "a product is one term": (lambda t: t["a"] + 10 * (t["b"] + t["c"]), [2.0, 80.0]),
    "a difference": (lambda t: t["a"] - 0.5 * t["b"], [2.0, -1.5]),
    "divided as a whole": (lambda t: (t["a"] + t["b"] + t["c"]) / 4, [0.5, 0.75, 1.25]),
    "a group that is added stays whole": (lambda t: t["a"] + sum([t["b"], t["c"]]), [2.0, 8.0]),
    "in place": (in_place, [2.0, 3.0, -5.0]),
}


@pytest.mark.parametrize("way", WAYS)
def test_terms_add_up_to_the_loss(way: str) -> None:
    given = {
        name: torch.tensor(value, requires_grad=True) * 1.0 for name, value in (("a", 2.0), ("b", 3.0), ("c", 5.0))
    }
    write, wanted = WAYS[way]
    sums = _Sums()
    with sums:
        loss = write(given)

    parts = sums.joined(loss)

    assert [_term(loss, parts, at + 1).item() for at in range(1 + len(parts))] == pytest.approx(wanted)
    assert summands(loss) == len(wanted)


@pytest.mark.parametrize(("number", "gradient"), [(1, 10.0), (2, 6.0)])
def test_a_term_that_is_taken_out_pulls_no_more(number: int, gradient: float) -> None:
    weight = torch.tensor(3.0, requires_grad=True)
    sums = _Sums()
    with sums:
        loss = weight**2 + 10 * weight

    (part,) = sums.joined(loss)
    (loss - _term(loss, [part], number)).backward()

    assert weight.grad == gradient
    assert part.line is not None
    assert part.line.file.endswith("test_term_steering.py")


def test_tensors_of_several_numbers_are_no_terms() -> None:
    sums = _Sums()
    with sums:
        loss = (torch.ones(3, requires_grad=True) + torch.ones(3, requires_grad=True)).sum()

    assert sums.joined(loss) == []


MODEL = torch.nn.Linear(4, 2)
GIVEN, WANTED = torch.randn(8, 4), torch.randint(0, 2, (8,))
ASIDE: dict[str, tuple[Callable[[], torch.Tensor], bool]] = {
    "size of weights": (lambda: sum((p.abs().mean() for p in MODEL.parameters()), torch.zeros(())), True),
    "squares of weights": (lambda: 0.1 * MODEL.weight.pow(2).sum(), True),
    "size of answers beside a loss": (lambda: MODEL(GIVEN).square().mean(), True),
    "a second task": (lambda: torch.nn.functional.mse_loss(MODEL(GIVEN), torch.ones(8, 2)), False),
}


@pytest.mark.parametrize("way", ASIDE)
def test_a_term_is_aside_where_it_cannot_be_the_task(way: str) -> None:
    write, wanted = ASIDE[way]
    sums = _Sums()
    with sums:
        loss = torch.nn.functional.cross_entropy(MODEL(GIVEN), WANTED) + write()

    assert _is_aside(loss, sums.joined(loss), 0) is wanted


def test_among_terms_written_by_hand_only_one_without_a_batch_is_aside() -> None:
    sums = _Sums()
    with sums:
        loss = (MODEL(GIVEN) - 1).abs().mean() + MODEL(GIVEN).square().mean() + MODEL.weight.square().sum()

    assert [_is_aside(loss, sums.joined(loss), at) for at in range(2)] == [False, True]


CODER, READER = torch.nn.Linear(4, 6), torch.nn.Linear(6, 4)


def autoencoder(error: Callable[[torch.Tensor], torch.Tensor], size: Callable[[torch.Tensor], torch.Tensor]) -> Terms:
    code = CODER(GIVEN)
    return {"error": error((READER(code.tanh()) - GIVEN) ** 2), "size": size(0.5 * code.square())}


def whole(t: torch.Tensor) -> torch.Tensor:
    return t.mean()


def by_example(t: torch.Tensor) -> torch.Tensor:
    return t.sum(1).mean()


@pytest.mark.parametrize(
    ("error", "size", "times"),
    [(whole, by_example, 4.0), (whole, torch.sum, 32.0), (by_example, by_example, 1.0), (whole, whole, 1.0)],
)
def test_a_mean_beside_a_sum_is_told_by_how_much_they_differ(
    error: Callable[[torch.Tensor], torch.Tensor], size: Callable[[torch.Tensor], torch.Tensor], times: float
) -> None:
    sums = _Sums()
    with sums:
        terms = autoencoder(error, size)
        loss = terms["error"] + 1.0 * terms["size"]
        turned = terms["size"] + terms["error"]
        held = terms["error"] + 1.0 * sum(weight.square().sum() for weight in READER.parameters())

    assert _times_averaged(loss, sums.joined(loss)) == times
    assert _times_averaged(held, sums.joined(held)) == 1.0, "weights are no examples"
    assert _is_aside(loss, sums.joined(loss), 0), "it trains the coder alone"
    assert not _is_aside(turned, sums.joined(turned), 0)
