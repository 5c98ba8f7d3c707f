import pytest
import torch

from firstlight.observe.inside.relations.guessing import guessed
from firstlight.observe.inside.relations.sample import AnswerMet, parts_of

ROWS = 512


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def kinds(drawn: torch.Generator) -> torch.Tensor:
    return torch.randint(0, 4, (ROWS,), generator=drawn)


@pytest.fixture
def examples(drawn: torch.Generator, kinds: torch.Tensor) -> torch.Tensor:
    return 2 * torch.randn(4, 10, generator=drawn)[kinds] + torch.randn(ROWS, 10, generator=drawn)


def met(labels: torch.Tensor) -> AnswerMet:
    return parts_of(labels[:, None].float())[0]


def test_wrong_labels_are_found_among_the_surest(
    examples: torch.Tensor, kinds: torch.Tensor, drawn: torch.Generator
) -> None:
    wrong = torch.rand(ROWS, generator=drawn) < 0.2
    labels = torch.where(wrong, (kinds + torch.randint(1, 4, (ROWS,), generator=drawn)) % 4, kinds)
    found = guessed(examples, met(labels + 5))

    assert found.skill > 0.6
    assert found.flat > 0.8
    assert found.sides == 1.0
    assert all(bool(wrong[one.place]) for one in found.doubtful)
    assert all(one.expected == int(kinds[one.place]) + 5 for one in found.doubtful)


def test_classes_that_overlap_are_not_doubted(examples: torch.Tensor, drawn: torch.Generator) -> None:
    chance = torch.sigmoid(1.5 * examples[:, 0])
    found = guessed(examples, met((torch.rand(ROWS, generator=drawn) < chance).long()))

    assert found.wrong > 0.05
    assert found.flat < 0.3


def test_answers_without_a_relation_have_no_skill(examples: torch.Tensor, drawn: torch.Generator) -> None:
    assert guessed(examples, met(torch.randint(0, 4, (ROWS,), generator=drawn))).skill < 0.2


def test_few_examples_and_values_are_not_asked(examples: torch.Tensor, kinds: torch.Tensor) -> None:
    assert guessed(examples[:255], met(kinds[:255])).rows == 0
    assert guessed(examples[:256], met(kinds[:256])).rows == 256
    assert guessed(examples, AnswerMet(examples[:, 0], 0)).rows == 0
