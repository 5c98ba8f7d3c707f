import pytest
import torch
from torch.nn import functional

from firstlight.observe.inside.relations.sample import Sample
from firstlight.observe.inside.relations.skill import OwnSkill
from firstlight.observe.inside.tape.recorder import Mark, Row
from firstlight.observe.inside.tape.tail import Meeting
from firstlight.records.relations import Skills

ROWS = 400


def meeting(name: str, predicted: torch.Tensor, answer: torch.Tensor) -> Meeting:
    row = Row(0, name, Mark.TRAINED)
    row.inputs = [(predicted.clone().requires_grad_(), Mark.TRAINED, None), (answer, Mark.DATA, None)]
    return Meeting(row, answer, Mark.DATA)


@pytest.fixture
def draw() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def inputs(draw: torch.Generator) -> torch.Tensor:
    return torch.randn(ROWS, 6, generator=draw)


def scored(name: str, inputs: torch.Tensor, answer: torch.Tensor, predicted: torch.Tensor, looks: int = 8) -> Skills:
    """As if the program put out the same in each look."""
    sample, own = Sample(), OwnSkill()
    sample.add([inputs], answer, step=0)
    for step in range(looks):
        own.add(meeting(name, predicted, answer), step)
    return own.beside(sample)


def test_classes_are_right_or_wrong(inputs: torch.Tensor) -> None:
    classes = inputs[:, :3].argmax(1)
    right = scored("cross_entropy", inputs, classes, inputs[:, :3])
    blind = scored("cross_entropy", inputs, classes, torch.eye(3)[:1].expand(ROWS, 3))

    assert right.own == 1.0
    assert right.plain > 0.7
    assert blind.own < 0.05
    assert (right.rows, right.looks, right.step) == (ROWS, 8, 7)


def test_values_are_measured_by_what_is_left_of_their_variance(inputs: torch.Tensor) -> None:
    values = inputs @ torch.arange(6.0)
    found = scored("mse_loss", inputs, values, values / 2)

    assert found.own == pytest.approx(0.75, abs=0.01)
    assert found.plain > 0.99


@pytest.mark.parametrize("name", ["binary_cross_entropy_with_logits", "binary_cross_entropy"])
def test_yes_and_no_are_told_at_the_border_of_their_loss(name: str, inputs: torch.Tensor) -> None:
    answer = (inputs[:, 0] > 0).float()
    predicted = inputs[:, 0] if name.endswith("logits") else torch.sigmoid(inputs[:, 0])

    assert scored(name, inputs, answer, predicted).own == 1.0


def test_answers_that_nothing_tells_have_no_plain_skill(inputs: torch.Tensor, draw: torch.Generator) -> None:
    classes = torch.randint(0, 3, (ROWS,), generator=draw)

    assert scored("cross_entropy", inputs, classes, functional.one_hot(classes).float()).plain < 0.15


def test_too_few_looks_and_too_few_examples_say_nothing(inputs: torch.Tensor) -> None:
    classes = inputs[:, :3].argmax(1)

    assert scored("cross_entropy", inputs, classes, inputs[:, :3], looks=7) == Skills()
    assert scored("cross_entropy", inputs[:255], classes[:255], inputs[:255, :3]) == Skills()
    assert scored("cross_entropy", inputs[:256], classes[:256], inputs[:256, :3]).rows == 256


def test_other_meetings_and_shapes_are_not_scored(inputs: torch.Tensor) -> None:
    assert scored("mul", inputs, inputs[:, 0], inputs[:, 0]) == Skills()
    assert scored("mse_loss", inputs, inputs[:, 0], inputs[:, :1]) == Skills()


def test_a_plain_fit_to_the_last_examples_stands_beside_the_one_to_the_first(draw: torch.Generator) -> None:
    """Of the easiest first, which any fit tells apart, and then of those with labels that nothing tells."""
    sample, own = Sample(), OwnSkill()
    easy, hard = torch.randn(ROWS, 6, generator=draw), torch.randn(ROWS, 6, generator=draw)
    told, drawn = (easy[:, 0] > 0).long(), torch.randint(0, 2, (ROWS,), generator=draw)
    sample.add([easy], told, step=0)
    for step in range(8):
        inputs, answer = (easy, told) if step < 4 else (hard, drawn)
        own.add(meeting("cross_entropy", torch.zeros(ROWS, 2), answer), step, [inputs])
    found = own.beside(sample)

    assert found.plain > 0.7
    assert found.later is not None
    assert found.later < 0.2
