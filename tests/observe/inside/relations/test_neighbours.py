import pytest
import torch

from firstlight.observe.inside.relations.neighbours import neighbours
from firstlight.observe.inside.relations.sample import AnswerMet

ROWS, BATCH = 512, 32
MOMENTS = torch.stack([torch.arange(ROWS) // BATCH, torch.arange(ROWS) % BATCH], 1)


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def kinds(drawn: torch.Generator) -> torch.Tensor:
    return torch.randint(0, 6, (ROWS,), generator=drawn)


@pytest.fixture
def examples(drawn: torch.Generator, kinds: torch.Tensor) -> torch.Tensor:
    return 3 * torch.randn(6, 10, generator=drawn)[kinds] + torch.randn(ROWS, 10, generator=drawn)


def shifted(kinds: torch.Tensor, by: int) -> torch.Tensor:
    return kinds.reshape(-1, BATCH).roll(by, 1).reshape(-1)


def test_answers_that_belong_to_their_examples(examples: torch.Tensor, kinds: torch.Tensor) -> None:
    found = neighbours(examples, [AnswerMet(kinds, 6)], MOMENTS)

    assert found.deviations > 50
    assert found.likeness > 0.8
    assert found.offset_deviations < 6


@pytest.mark.parametrize("by", [-1, 1, 2])
def test_answers_that_were_shifted_within_their_batch(examples: torch.Tensor, kinds: torch.Tensor, by: int) -> None:
    found = neighbours(examples, [AnswerMet(shifted(kinds, by), 6)], MOMENTS)

    assert abs(found.deviations) < 4
    assert found.offset == by
    assert found.offset_deviations > 20


def test_answers_dealt_at_random(examples: torch.Tensor, kinds: torch.Tensor, drawn: torch.Generator) -> None:
    found = neighbours(examples, [AnswerMet(kinds[torch.randperm(ROWS, generator=drawn)], 6)], MOMENTS)

    assert abs(found.deviations) < 4
    assert found.offset_deviations < 6


def test_values_are_compared_by_their_ranks(drawn: torch.Generator) -> None:
    given = torch.randn(ROWS, 3, generator=drawn)
    values = (given.sum(1) * 3).exp()

    assert neighbours(given, [AnswerMet(values, 0)], MOMENTS).deviations > 20
    assert abs(neighbours(given, [AnswerMet(values.flip(0), 0)], MOMENTS).deviations) < 4


def test_too_few_examples_say_nothing(examples: torch.Tensor, kinds: torch.Tensor) -> None:
    assert neighbours(examples, [], MOMENTS).examples == 0
    assert neighbours(examples[:127], [AnswerMet(kinds[:127], 6)], MOMENTS[:127]).examples == 0
    assert neighbours(examples[:128], [AnswerMet(kinds[:128], 6)], MOMENTS[:128]).examples == 128


def test_answers_that_are_nearly_all_the_same_could_show_little(drawn: torch.Generator) -> None:
    examples = torch.randn(ROWS, 12, generator=drawn)
    even, rare = torch.randint(0, 2, (ROWS,), generator=drawn), torch.zeros(ROWS, dtype=torch.long)
    rare[::128] = 1

    assert neighbours(examples, [AnswerMet(even, 2)], MOMENTS).could > 25
    assert neighbours(examples, [AnswerMet(rare, 2)], MOMENTS).could < 10


def test_what_belongs_together_is_not_asked_what_it_could(examples: torch.Tensor, kinds: torch.Tensor) -> None:
    assert neighbours(examples, [AnswerMet(kinds, 6)], MOMENTS).could == 0
