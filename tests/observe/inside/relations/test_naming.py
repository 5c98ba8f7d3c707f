"""Windows of people, begun at any moment, beside a column that says whose they are."""

from collections.abc import Callable

import pytest
import torch

from firstlight.observe.inside.relations.beside import EvaluatedBeside
from firstlight.observe.inside.relations.sample import Sample
from firstlight.records.held_out import Groups

PEOPLE, EACH, CHANNELS, LENGTH = 50, 16, 3, 32
Asked = Callable[[torch.Tensor, torch.Tensor], Groups]


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def windows(level: torch.Tensor, drawn: torch.Generator) -> torch.Tensor:
    begun = 6.28 * torch.rand(len(level), CHANNELS, 1, generator=drawn)
    wave = torch.sin(torch.arange(LENGTH) * 0.7 + begun)
    return level[..., None] + wave + 0.3 * torch.randn(len(level), CHANNELS, LENGTH, generator=drawn)


@pytest.fixture
def asked(drawn: torch.Generator) -> Asked:
    """By which of the windows are evaluated, and which answer each person has."""

    def ask(later: torch.Tensor, sick: torch.Tensor, level: torch.Tensor | None = None) -> Groups:
        level = 2 * torch.randn(PEOPLE, CHANNELS, generator=drawn) if level is None else level
        people = torch.arange(PEOPLE).repeat_interleave(EACH)
        table, answers = windows(level[people], drawn), sick[people].float()
        beside, sample = EvaluatedBeside(), Sample()
        beside.trains(table[~later][:32])
        beside.evaluates(table[later], None)
        sample.add([table[~later]], answers[~later][:, None], 0)
        assert len(people) == len(answers)
        return beside.groups_named(sample)

    return ask


@pytest.fixture
def sick(drawn: torch.Generator) -> torch.Tensor:
    return torch.rand(PEOPLE, generator=drawn) < 0.5


def test_people_on_both_sides_are_recognised(asked: Asked, sick: torch.Tensor, drawn: torch.Generator) -> None:
    found = asked(torch.rand(PEOPLE * EACH, generator=drawn) < 0.25, sick)

    assert (found.named, found.groups, found.known) == (True, PEOPLE, 1.0)
    assert found.by_rows > 0.5
    assert found.by_groups < 0.4 * found.by_rows


def test_people_on_one_side_alone_are_not(asked: Asked, sick: torch.Tensor) -> None:
    assert asked(torch.arange(PEOPLE * EACH) >= 40 * EACH, sick) == Groups()


def test_what_tells_the_answer_of_new_people_too_is_fine(
    asked: Callable[..., Groups], sick: torch.Tensor, drawn: torch.Generator
) -> None:
    level = torch.randn(PEOPLE, CHANNELS, generator=drawn) * 0.3 + 2 * sick[:, None]
    found = asked(torch.rand(PEOPLE * EACH, generator=drawn) < 0.25, sick, level)

    assert found.by_groups > 0.8 * found.by_rows
