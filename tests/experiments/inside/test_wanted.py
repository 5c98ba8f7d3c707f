"""What is wanted of a model's outputs, in its loss and where they are scored."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.experiments.inside.wanted import NumbersWanted
from firstlight.observe.inside.taps.models import Call
from firstlight.records.scoring import AnswersScored

ROWS = 40


class Seen:
    """As much of an observer as is asked."""

    reading = False
    step = 1

    def shielded(self, _tap: str, function: Any) -> Any:
        def call(*arguments: Any) -> None:
            self.reading = True
            function(*arguments)
            self.reading = False

        return call


class Program:
    """Three batches of training, then evaluations of as many rows, all drawn from one distribution."""

    def __init__(self) -> None:
        observer: Any = Seen()
        self.measured = MeasuredLosses(observer)
        self.model = torch.nn.Linear(4, 1)
        self.draw = torch.Generator().manual_seed(0)

    def call(self, training: bool, inputs: Tensor | None = None) -> Tensor:
        self.model.train(training)
        given = torch.randn(ROWS, 4, generator=self.draw) if inputs is None else inputs
        with torch.set_grad_enabled(training):
            output: Tensor = self.model(given).squeeze(-1)
        call = Call(self.model, (given,), {}, [given], output, training)
        self.measured.returned(call)
        return output

    def targets(self) -> Tensor:
        return torch.randn(ROWS, generator=self.draw)

    def train(self, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        for _ in range(3):
            loss(self.call(training=True), self.targets())
        self.measured.training_goes_on()

    def evaluate(self, score: Callable[[Tensor, Tensor], Any]) -> AnswersScored:
        score(self.call(training=False), self.targets())
        (found,) = self.measured.wanted.seen()
        return found


@pytest.fixture
def program() -> Iterator[Program]:
    found = Program()
    yield found
    found.measured.training_goes_on()


def difference(one: Tensor, other: Tensor) -> Tensor:
    return (one - other).square().mean()


ALIKE: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "as they are": difference,
    "by a loss": F.l1_loss,
    "scaled back": lambda out, y: difference(out * 20 + 50, y * 20 + 50),
    "the other way round": lambda out, y: difference(y * -2, out * -2),
    "scaled back in numpy": lambda out, y: difference(torch.tensor(out.numpy() * 3.0 + 1), y.double() * 3 + 1),
}


@pytest.mark.parametrize("score", ALIKE.values(), ids=ALIKE)
def test_units_that_go_with_the_answers_make_no_difference(
    program: Program, score: Callable[[Tensor, Tensor], Any]
) -> None:
    program.train(F.mse_loss)
    seen = program.evaluate(score).wanted

    assert seen is not None
    assert seen.wider == pytest.approx(1, abs=0.3)
    assert seen.apart < 0.5
    assert not seen.trained.standard


def test_answers_that_are_not_scaled_back_are_asked_for_other_numbers(program: Program) -> None:
    program.train(difference)
    seen = program.evaluate(lambda out, y: difference(torch.tensor(out.numpy()), y * 20 + 50)).wanted

    assert seen is not None
    assert seen.wider == pytest.approx(20, rel=0.3)
    assert seen.apart == pytest.approx(50, rel=0.3)


def test_targets_that_each_batch_scales_are_known(program: Program) -> None:
    program.train(lambda out, y: F.mse_loss(out, (y - y.mean()) / y.std()))
    seen = program.evaluate(difference).wanted

    assert seen is not None
    assert seen.trained.standard
    assert not seen.scored.standard


def test_one_batch_again_and_again_is_not_scaled_by_itself(program: Program) -> None:
    whole = program.targets()
    program.train(lambda out, _: F.mse_loss(out, (whole - whole.mean()) / whole.std()))
    seen = program.evaluate(difference).wanted

    assert seen is not None
    assert not seen.trained.standard


@pytest.mark.parametrize(("rising", "least", "most"), [(0.0, 0.0, 5.0), (1.0, 20.0, 100.0)])
def test_targets_that_come_in_order_drift(rising: float, least: float, most: float) -> None:
    numbers = NumbersWanted()
    for place in range(3):
        numbers.add(torch.randn(ROWS, generator=torch.Generator().manual_seed(place)).double() + rising * place)

    assert least < numbers.met().drift < most


def test_outputs_of_several_calls_are_known_together(program: Program) -> None:
    program.train(F.mse_loss)
    outputs, targets = zip(*[(program.call(training=False), program.targets()) for _ in range(5)], strict=True)
    answers, wanted = torch.cat(outputs).numpy(), torch.cat(targets).numpy()
    program.measured.arrays("sub", answers, wanted, answers - wanted)
    (seen,) = program.measured.wanted.seen()

    assert seen.wanted is not None
    assert seen.wanted.scored.count == 5 * ROWS


def test_what_is_taken_from_the_input_is_no_target(program: Program) -> None:
    program.train(F.mse_loss)
    given = torch.randn(ROWS, 1, generator=program.draw) * 50
    program.model.weight.data = program.model.weight.data[:, :1]
    assert (given - program.call(training=False, inputs=given).reshape(-1, 1)).any()

    assert list(program.measured.wanted.seen()) == []


def test_a_model_that_is_given_what_it_gave_is_not_scored(program: Program) -> None:
    program.train(F.mse_loss)
    state = program.call(training=False).reshape(10, 4)
    assert (program.call(training=False, inputs=state * 1.0) - 50 * program.targets()[:10]).any()

    assert list(program.measured.wanted.seen()) == []


def earlier(values: Tensor) -> Tensor:
    """What a model said is kept in a buffer, and taken from it again."""
    kept = torch.zeros(3, ROWS)
    kept[1] = values
    return kept[1] * 1.0


OWN: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "a reward and a part of what it says": lambda values, y: y + 0.9 * values,
    "cut off": lambda values, y: torch.where(y > 0, values, y),
    "kept in a buffer": lambda values, y: y + earlier(values),
    "reckoned outside of torch": lambda values, y: torch.tensor(y.tolist()) + torch.as_tensor(values.numpy() * 0.9),
}


@pytest.mark.parametrize("before_training", [False, True])
@pytest.mark.parametrize("made", OWN.values(), ids=OWN)
def test_answers_that_a_model_had_a_hand_in_tell_nothing_of_where_training_is_to_come_to(
    program: Program, made: Callable[[Tensor, Tensor], Tensor], before_training: bool
) -> None:
    observer: Any = program.measured.observer
    observer.step = 0 if before_training else 1
    values = program.call(training=False)
    answers = made(values, program.targets())
    F.mse_loss(program.call(training=True), answers)
    program.measured.training_goes_on()
    observer.step = 1

    assert program.evaluate(lambda out, y: difference(out, y * 20 + 50)).wanted is None


def test_answers_that_a_copy_gives_with_gradients_on_are_a_models_too(program: Program) -> None:
    answers = program.call(training=True).detach() + program.targets()
    F.mse_loss(program.call(training=True), answers)
    program.measured.training_goes_on()

    assert program.evaluate(lambda out, y: difference(out, y * 20 + 50)).wanted is None


def test_targets_that_are_made_of_numbers_beside_what_a_model_gave_are_targets(program: Program) -> None:
    program.call(training=False)
    answers = torch.tensor(program.targets().tolist())
    F.mse_loss(program.call(training=True), answers).item()
    F.mse_loss(program.call(training=True), torch.tensor(program.targets().tolist()))
    program.measured.training_goes_on()
    seen = program.evaluate(lambda out, y: difference(out, y * 20 + 50)).wanted

    assert seen is not None
    assert seen.trained.count == 2 * ROWS
    assert seen.wider == pytest.approx(20, rel=0.3)


def scored(program: Program, change: Callable[[Tensor], Tensor], batches: int = 4, sort: bool = False) -> int:
    """Classes that a loader gives, compared in numpy."""
    program.model = torch.nn.Linear(4, 3)
    outputs, targets = [], []
    for _ in range(batches):
        given, classes = torch.randn(ROWS, 4, generator=program.draw), torch.randint(3, (ROWS,), generator=program.draw)
        program.measured.gathered.batch_given(None, (given, classes))
        order = classes.argsort() if sort else torch.arange(ROWS)
        outputs.append(program.call(training=False, inputs=given[order] if sort else given))
        targets.append(classes[order])
    chosen, wanted = torch.cat(outputs).argmax(1).numpy(), change(torch.cat(targets)).numpy()
    program.measured.arrays("eq", chosen, wanted, np.equal(chosen, wanted))
    return sum(one.moved for one in program.measured.side_by_side.seen())


def test_targets_of_other_rows_are_known_by_what_was_loaded(program: Program) -> None:
    assert scored(program, lambda classes: classes.roll(1)) == 4 * ROWS


def test_targets_of_their_own_rows_are_fine(program: Program) -> None:
    assert scored(program, lambda classes: classes) == 0


def test_targets_of_rows_that_were_sorted_are_fine(program: Program) -> None:
    assert scored(program, lambda classes: classes, sort=True) == 0
