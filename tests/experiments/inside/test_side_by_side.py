"""Whose answers predictions are put beside, told by what was put out and loaded."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from firstlight.experiments.inside.gathered import Gathered, RowsGiven
from firstlight.experiments.inside.side_by_side import PairsMet, SideBySide, Vector, paired, vector
from firstlight.observe.inside.taps.models import Call

ROWS = 240
Sides = Callable[[Tensor, Tensor, Tensor], tuple[Any, Any]]


def drawn(classes: int = 4) -> tuple[Tensor, Tensor]:
    """Outputs that are mostly right, and the answers."""
    generator = torch.Generator().manual_seed(0)
    answers = torch.randint(classes, (ROWS,), generator=generator)
    return torch.nn.functional.one_hot(answers) + 0.5 * torch.randn(ROWS, classes, generator=generator), answers


def told(sides: Sides, classes: int = 4) -> PairsMet | None:
    outputs, answers = drawn(classes)
    order = torch.randperm(ROWS, generator=torch.Generator().manual_seed(1))
    one, other = map(vector, sides(outputs, answers, order))
    assert one is not None
    assert other is not None
    return paired(one, other, RowsGiven([outputs], [answers], range(1)))


FINE: dict[str, Sides] = {
    "as they are": lambda out, own, _: (out.argmax(1), own),
    "both in another order": lambda out, own, order: (out.argmax(1)[order], own[order]),
    "lists": lambda out, own, _: (out.argmax(1).tolist(), own.tolist()),
    "scores of one class": lambda out, own, _: (out[:, 1].sigmoid(), own),
    "sorted by their scores": lambda out, own, _: (out[:, 1].sort().values, own[out[:, 1].argsort()]),
}
TORN: dict[str, Sides] = {
    "answers in another order": lambda out, own, order: (out.argmax(1), own[order]),
    "predictions in another order": lambda out, own, order: (out.argmax(1)[order], own),
    "answers sorted": lambda out, own, _: (out.argmax(1).numpy(), own.sort().values.numpy()),
    "scores sorted": lambda out, own, _: (out[:, 1].sort().values, own),
}
UNTOLD: dict[str, Sides] = {
    "each sorted by itself": lambda out, own, _: (out[:, 1].sort().values, own.sort().values),
    "other answers": lambda out, own, order: (out.argmax(1), own.clamp_max(2)[order]),
    "other predictions": lambda out, own, order: (out.exp().sum(1), own[order]),
}


@pytest.mark.parametrize("sides", FINE.values(), ids=FINE)
def test_the_same_pairs_are_fine(sides: Sides) -> None:
    found = told(sides)

    assert found is not None
    assert not found.torn


@pytest.mark.parametrize("sides", TORN.values(), ids=TORN)
def test_pairs_that_nobody_made_are_torn(sides: Sides) -> None:
    found = told(sides)

    assert found is not None
    assert found.torn


def test_how_far_they_agree() -> None:
    found = told(TORN["answers in another order"])

    assert found is not None
    assert found.made == pytest.approx(0.85, abs=0.1)
    assert found.met == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize("sides", UNTOLD.values(), ids=UNTOLD)
def test_what_is_something_else_tells_nothing(sides: Sides) -> None:
    assert told(sides) is None


def test_predictions_above_a_border() -> None:
    found = told(lambda out, own, order: (out[:, 1] - out[:, 0] > 0, own[order]), classes=2)

    assert found is not None
    assert found.torn


@pytest.mark.parametrize(("rows", "rare"), [(600, False), (6000, True)])
def test_two_classes_are_as_frequent_by_chance_where_rows_are_few(rows: int, rare: bool) -> None:
    found = vector(torch.arange(rows) % 2)

    assert found is not None
    assert found.rare is rare


@pytest.mark.parametrize("side", [[1.0] * 20, ["a"] * 20, [1.0, 2.0], [float("nan"), *range(20)]])
def test_what_is_no_vector(side: list[Any]) -> None:
    assert vector(side) is None


class Program:
    def __init__(self) -> None:
        observer: Any = SimpleNamespace(step=3)
        self.gathered = Gathered()
        self.beside = SideBySide(observer, self.gathered, lambda _: False)
        self.model = torch.nn.Linear(4, 4)

    def evaluate(self, shown: Tensor, answers: Tensor, with_answers: bool = False) -> Tensor:
        for given, own in zip(shown.split(60), answers.split(60), strict=True):
            self.gathered.batch_given(None, (given, own))
            also = {"labels": own} if with_answers else {}
            call = Call(self.model, (given,), also, [given, *also.values()], given * 1, training=False)
            self.gathered.asked(call)
        return shown.argmax(1)


@pytest.mark.parametrize("with_answers", [False, True])
def test_an_evaluation_of_several_batches(with_answers: bool) -> None:
    program, (shown, answers) = Program(), drawn()
    said = program.evaluate(shown.float(), answers, with_answers)
    program.beside.meet("eq", said, answers.flip(0))
    (found,) = program.beside.seen()

    assert (found.moved, found.answers, found.elsewhere, found.about) == (ROWS, ROWS, False, "order")
    assert found.torn is not None
    assert found.torn.made > 0.8


@pytest.mark.parametrize(("how", "elsewhere"), [("eq", True), ("beside", False)])
def test_the_same_predictions_beside_their_own_answers(how: str, elsewhere: bool) -> None:
    program, (shown, answers) = Program(), drawn()
    said = program.evaluate(shown.float(), answers)
    program.beside.meet("eq", said, answers.flip(0))
    program.beside.meet(how, said, answers)
    (found,) = program.beside.seen()

    assert found.elsewhere is elsewhere


def test_other_predictions_that_are_fine_are_no_excuse() -> None:
    program, (shown, answers) = Program(), drawn()
    program.beside.meet("eq", program.evaluate(shown.float(), answers), answers.flip(0))
    program.gathered.rest()
    program.beside.meet("eq", program.evaluate(shown.float(), answers), answers)
    (found,) = program.beside.seen()

    assert not found.elsewhere


def test_nothing_is_known_without_a_model() -> None:
    program, (shown, answers) = Program(), drawn()
    program.evaluate(shown.float(), answers)
    program.gathered.rest()
    program.beside.meet("eq", shown.argmax(1), answers.flip(0))

    assert list(program.beside.seen()) == []


def test_ranks_are_what_rising_functions_leave() -> None:
    one, other = vector(torch.arange(10.0)), vector(torch.arange(10.0).exp())

    assert isinstance(one, Vector)
    assert isinstance(other, Vector)
    assert torch.equal(one.ranks, other.ranks)
