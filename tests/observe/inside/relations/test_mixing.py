import pytest
import torch

from firstlight.observe.inside.relations.mixing import InputsMixed
from firstlight.records.relations import Mixed


def seen(weight: float, width: int = 3, scale: float = 1.0, answers: torch.Tensor | None = None) -> Mixed:
    torch.manual_seed(0)
    found = InputsMixed()
    for _ in range(4):
        inputs, labels = torch.randn(32, width), torch.randint(0, 4, (32,))
        given = scale * ((1 - weight) * inputs + weight * inputs.flip(0)) + (scale - 1)
        found.add(given, labels if answers is None else answers, [inputs, labels])
    return found.seen()


@pytest.mark.parametrize("width", [3, 40])
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_the_other_example_and_its_weight_are_found(width: int, scale: float) -> None:
    found = seen(0.7, width, scale)

    assert found.examples == 128
    assert found.mixed > 120
    assert found.weight == pytest.approx(0.7, abs=0.01)


@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_examples_that_are_only_scaled_are_not_mixed(scale: float) -> None:
    assert seen(0.0, scale=scale) == Mixed(examples=128, mixed=0, weight=0.0)


def test_where_the_answers_are_others_too_nothing_is_compared() -> None:
    assert seen(0.7, answers=torch.zeros(32).long()) == Mixed()


def test_examples_of_two_values_are_not_compared() -> None:
    assert seen(0.7, width=2) == Mixed()
