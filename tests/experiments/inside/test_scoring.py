"""Answers are followed from the model to what they are held against."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.records.scoring import AnswersScored

torch.manual_seed(0)
INPUTS, WANTED = torch.randn(12, 5), torch.arange(12) % 3
SCORES = torch.randn(12, 3)


class Seen:
    """As much of an observer as is asked."""

    reading = False
    step = 1

    def shielded(self, _tap: str, function: Any) -> Any:
        return function


class Program:
    """A model that is trained once with a loss and then evaluated."""

    def __init__(self) -> None:
        observer: Any = Seen()
        self.measured = MeasuredLosses(observer)
        self.model = torch.nn.Linear(5, 3)

    def call(self, output: Tensor, training: bool, inputs: Tensor = INPUTS) -> Tensor:
        self.model.train(training)
        call: Any = SimpleNamespace(training=training, module=self.model, inputs=[inputs], output=output)
        self.measured.returned(call)
        return output

    def train(self, loss: Callable[[Tensor], Tensor]) -> None:
        loss(self.call(SCORES, training=True))
        self.measured.training_goes_on()

    def evaluate(self, score: Callable[[Tensor], Any], inputs: Tensor = INPUTS) -> AnswersScored:
        score(self.call(SCORES.clone(), training=False, inputs=inputs))
        (found,) = self.measured.scoring.seen()
        return found


@pytest.fixture
def program() -> Iterator[Program]:
    found = Program()
    yield found
    found.measured.training_goes_on()


def by_class(output: Tensor) -> Tensor:
    return F.cross_entropy(output, WANTED)


DECISIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "argmin": lambda output: output.argmin(1),
    "of the negative": lambda output: (-output).argmax(-1),
    "of min": lambda output: output.min(dim=1)[1],
    "of a share": lambda output: (1 - output.softmax(1)).argmax(1),
    "kept as a column": lambda output: output.argmin(1, keepdim=True).squeeze(1),
}


@pytest.mark.parametrize("decide", DECISIONS.values(), ids=DECISIONS)
def test_the_least_likely_class_is_known(program: Program, decide: Callable[[Tensor], Tensor]) -> None:
    program.train(by_class)
    found = program.evaluate(lambda output: decide(output) == WANTED)

    assert (found.answers, found.least, found.moved) == (12, 12, 0)


def test_a_copy_of_the_trained_model_answers_in_the_same_sense(program: Program) -> None:
    program.train(lambda scores: F.cross_entropy(scores, WANTED))
    trained, program.model = program.model, torch.nn.Linear(5, 3)

    assert trained is not program.model
    assert program.evaluate(lambda scores: scores.argmin(1) == WANTED).least == 12


def test_targets_that_are_given_the_shape_of_the_answers_are_still_targets(program: Program) -> None:
    program.train(by_class)

    def score(output: Tensor) -> Tensor:
        chosen = output.argmin(1, keepdim=True)
        return chosen.eq(WANTED.view_as(chosen))

    assert program.evaluate(score).least == 12


def test_the_most_likely_one_is_fine(program: Program) -> None:
    program.train(by_class)
    found = program.evaluate(lambda output: output.argmax(1).eq(WANTED))

    assert (found.answers, found.least, found.moved) == (12, 0, 0)


def test_a_distance_is_best_where_it_is_least(program: Program) -> None:
    program.train(lambda output: F.cross_entropy(-output, WANTED))
    found = program.evaluate(lambda output: output.argmin(1) == WANTED)

    assert found.least == 0


ORDERS: dict[str, Callable[[], Tensor]] = {
    "rolled": lambda: WANTED.roll(1, 0),
    "flipped": lambda: torch.flip(WANTED, (0,)),
    "indexed": lambda: WANTED[torch.arange(11, -1, -1)],
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_targets_in_another_order_are_known(program: Program, order: Callable[[], Tensor]) -> None:
    assert program.evaluate(lambda output: output.argmax(1) == order()).moved == 12


def test_a_difference_is_a_meeting_too(program: Program) -> None:
    wanted = torch.randn(12, 3)

    assert program.evaluate(lambda output: output - wanted.roll(1, 0)).moved == 36


def test_there_and_back_is_fine(program: Program) -> None:
    assert program.evaluate(lambda output: output.argmax(1) == WANTED.roll(1, 0).roll(-1, 0)).moved == 0


def test_answers_in_the_same_other_order_are_fine(program: Program) -> None:
    assert program.evaluate(lambda output: output.argmax(1).flip(0) == WANTED.flip(0)).moved == 0


def test_the_order_that_a_model_gives_is_the_order_of_its_answers(program: Program) -> None:
    order = torch.arange(11, -1, -1)
    program.model.eval()
    call: Any = SimpleNamespace(training=False, module=program.model, inputs=[INPUTS], output=(SCORES, order))
    program.measured.returned(call)
    assert (SCORES.argmax(1) == WANTED[order]).any()

    assert [found for found in program.measured.scoring.seen() if found.moved] == []


def test_the_inputs_shifted_by_a_place_are_what_comes_next(program: Program) -> None:
    found = program.evaluate(lambda output: output.argmax(1) == WANTED.roll(-1, 0), inputs=WANTED)

    assert found.moved == 0


def test_a_measure_of_chance_stands_beside_the_score(program: Program) -> None:
    output = program.call(SCORES.clone(), training=False)
    assert (output.argmax(1) == WANTED).any()
    assert (output.argmax(1) == WANTED.roll(1, 0)).any()
    plain, shuffled = program.measured.scoring.seen()

    assert (plain.moved, plain.elsewhere, shuffled.moved, shuffled.elsewhere) == (0, False, 12, True)


NAMES: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor], int]] = {
    "one too high in training": (lambda classes: (classes + 1) % 3, lambda classes: classes, 3),
    "one too low in evaluation": (lambda classes: classes, lambda classes: (classes - 1).clamp(min=0), 2),
    "the same on both sides": (lambda classes: (classes + 1) % 3, lambda classes: (classes + 1) % 3, 0),
    "left out in training": (lambda classes: torch.where(classes == 1, -100, classes), lambda classes: classes, 0),
    "drawn anew": (lambda classes: classes[torch.randperm(12)], lambda classes: classes, 0),
}


@pytest.mark.parametrize(("trained", "scored", "renamed"), NAMES.values(), ids=NAMES)
def test_what_classes_are_called_in_training_and_in_the_score(
    program: Program, trained: Callable[[Tensor], Tensor], scored: Callable[[Tensor], Tensor], renamed: int
) -> None:
    scoring = program.measured.scoring
    for _ in range(2):
        scoring.batch_given(None, (INPUTS, WANTED))
        program.train(lambda output: F.cross_entropy(output, trained(WANTED)))
    found = program.evaluate(lambda output: output.argmax(1) == scored(WANTED))

    assert len(found.renamed) == renamed


SOME = torch.tensor([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2])


@pytest.mark.parametrize(
    ("trained", "apart", "offset"),
    [
        (SOME, 0.0, None),
        (SOME + 1, 0.5, 1),
        ((SOME - 1).clamp(min=0), 0.25, -1),
        ((SOME + 2) % 3, 0.25, -1),
    ],
)
def test_without_a_loader_the_shares_of_classes_tell(
    program: Program, trained: Tensor, apart: float, offset: int | None
) -> None:
    program.train(lambda output: F.cross_entropy(output[:, [0, 1, 2, 2]], trained))
    found = program.evaluate(lambda output: output.argmax(1) == SOME)

    assert (found.counted, found.apart) == (12, apart)
    assert offset is None or (found.offset, found.offset_apart) == (offset, 0.0)


def test_numbers_of_rows_are_no_classes(program: Program) -> None:
    program.measured.scoring.batch_given(None, (INPUTS, torch.arange(12)))
    program.train(by_class)
    found = program.evaluate(lambda output: output.argmax(1) == (WANTED + 1) % 3)

    assert (found.classes, found.renamed) == (0, ())
