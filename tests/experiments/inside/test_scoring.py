"""Answers are followed from the model to what they are held against."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.observe.inside.taps.models import Call
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

    def call(self, output: Tensor, training: bool, inputs: Tensor = INPUTS, in_train_mode: bool = False) -> Tensor:
        self.model.train(training or in_train_mode)
        call = Call(self.model, (inputs,), {}, [inputs], output, training)
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


def test_the_least_likely_class_is_known_where_it_leaves_torch_unmet(program: Program) -> None:
    program.train(by_class)

    assert program.evaluate(lambda output: output.argmin(1).tolist()).least == 12


def test_the_least_likely_class_beside_the_most_likely_one_is_fine(program: Program) -> None:
    program.train(by_class)
    program.call(SCORES.clone(), training=False).argmin(1)
    program.call(SCORES.clone(), training=False).argmax(1)

    assert list(program.measured.scoring.seen()) == []


def test_answers_of_a_model_with_dropout_at_work_are_noisy(program: Program) -> None:
    program.model = torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Dropout())  # type: ignore[assignment]
    program.train(by_class)
    program.measured.scoring.given([INPUTS])

    def noisy(inputs: Tensor, in_train_mode: bool) -> int:
        program.call(SCORES.clone(), training=False, inputs=inputs, in_train_mode=in_train_mode).argmax(1).eq(WANTED)
        return sum(one.noisy for one in program.measured.scoring.seen())

    assert noisy(INPUTS, in_train_mode=True) == 0, "what it was just trained on"
    assert noisy(torch.randn(12, 5), in_train_mode=False) == 0
    assert noisy(torch.randn(12, 5), in_train_mode=True) == 12


def test_those_after_the_last_step_are_counted_where_no_input_comes_twice(program: Program) -> None:
    program.model = torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Dropout())  # type: ignore[assignment]
    program.train(by_class)
    scoring = program.measured.scoring

    def at_end(inputs: Tensor) -> int:
        program.call(SCORES.clone(), training=False, inputs=inputs, in_train_mode=True).argmax(1).eq(WANTED)
        return sum(one.noisy_at_end for one in scoring.seen())

    assert at_end(torch.ones(12, 5)) == 12
    assert sum(one.noisy_at_end for one in scoring.seen(ended=False)) == 0, "a step may follow"
    program.measured.observer.step += 1
    assert sum(one.noisy_at_end for one in scoring.seen()) == 0, "one did"
    scoring.rest()
    assert at_end(torch.zeros(12, 5)) == 12
    assert at_end(torch.zeros(12, 5)) == 12, "the second one is sampling"


def test_the_most_likely_one_is_fine(program: Program) -> None:
    program.train(by_class)
    found = program.evaluate(lambda output: output.argmax(1).eq(WANTED))

    assert (found.answers, found.least, found.moved) == (12, 0, 0)


def test_a_loss_inside_the_model_tells_the_sense_of_what_it_returns_with_it(program: Program) -> None:
    program.call(SCORES, training=False)
    F.cross_entropy(SCORES.clone(), WANTED)
    program.call(SCORES.clone(), training=False).argmin(1).eq(WANTED)

    assert sum(one.least for one in program.measured.scoring.seen()) == 12


@pytest.mark.parametrize(("least", "lines"), [(True, 1), (False, 0)])
def test_the_least_likely_class_is_known_among_answers_that_were_gathered(
    program: Program, least: bool, lines: int
) -> None:
    program.train(by_class)
    answers = torch.cat([program.call(SCORES[part], training=False) for part in (slice(0, 8), slice(8, 12))]).numpy()
    chosen = answers.argmin(1) if least else answers.argmax(1)
    program.measured.arrays("eq", chosen, WANTED.numpy(), chosen == WANTED.numpy())

    assert [one.least for one in program.measured.scoring.seen()] == [12] * lines


def test_some_of_the_answers_are_in_the_sense_of_all(program: Program) -> None:
    some = torch.tensor([0, 2, 3, 5, 7])
    program.train(lambda output: F.nll_loss(output[some], WANTED[some]))

    assert program.evaluate(lambda output: output[some].min(1)[1] == WANTED[some]).least == 5


def test_shares_of_as_many_classes_as_a_loss_inside_has_are_in_its_sense(program: Program) -> None:
    program.call(torch.tensor(0.7), training=True)
    F.cross_entropy(SCORES.clone(), WANTED)
    program.call(torch.tensor(0.7), training=True)
    shares = program.call(SCORES.softmax(1), training=False)

    shares.argmin(1).eq(WANTED)

    assert [one.least for one in program.measured.scoring.seen()] == [12]


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
    call = Call(program.model, (INPUTS,), {}, [INPUTS], (SCORES, order), training=False)
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


def test_an_overlap_with_a_mask_is_a_meeting_of_which_the_order_says_nothing(program: Program) -> None:
    mask = torch.randn(12, 3)
    found = program.evaluate(lambda output: (output > 0).float() * mask.flip(0))

    assert (found.answers, found.moved) == (36, 0)


def test_a_loss_written_by_hand_tells_the_sense_of_the_answers_too(program: Program) -> None:
    soft = F.one_hot(WANTED, 3) * 0.9 + 0.1 / 3
    program.train(lambda scores: -(soft * scores.log_softmax(-1)).sum(-1).mean())

    assert program.evaluate(lambda scores: (scores.argmin(1) == WANTED).sum()).least == len(WANTED)


def test_the_smallest_of_distances_is_fine_though_a_loss_turns_them(program: Program) -> None:
    program.train(lambda scores: -(-scores).log_softmax(-1)[:, 0].mean())

    assert program.evaluate(lambda scores: (scores.argmin(1) == WANTED).sum()).least == 0
