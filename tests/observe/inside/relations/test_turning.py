import pytest
import torch

from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.observe.inside.relations.turning import classes_turned, likeness
from firstlight.records.stored import ClassesTurned

ROWS, LENGTH = 240, 40


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def ramps(kinds: torch.Tensor, drawn: torch.Generator) -> torch.Tensor:
    """Rises, falls, and for a third kind hills, each somewhere else."""
    place = torch.linspace(0, 1, LENGTH)
    middle = 0.4 + 0.2 * torch.rand(len(kinds), 1, generator=drawn)
    rise, hill = torch.sigmoid((place - middle) * 12), torch.exp(-((place - middle) ** 2) * 40)
    found = torch.where(kinds[:, None] == 0, rise, torch.where(kinds[:, None] == 1, 1 - rise, hill))
    return found + 0.05 * torch.randn(len(kinds), LENGTH, generator=drawn)


def given(kept: torch.Tensor, drawn: torch.Generator) -> torch.Tensor:
    mirrored = torch.rand(len(kept), generator=drawn) < 0.5
    return torch.where(mirrored[:, None], kept.flip(-1), kept)


def test_a_rise_becomes_a_fall(drawn: torch.Generator) -> None:
    kinds = torch.randint(0, 3, (ROWS,), generator=drawn)
    kept = ramps(kinds, drawn)

    found = classes_turned(kept, given(kept, drawn)[:, None], AnswerMet(kinds, 3, (4, 7, 9)))

    assert found.how == "backwards"
    assert sorted(found.pair) == [4, 7]
    assert found.kept > 0.9
    assert found.taken > 0.9


def test_classes_that_are_the_same_in_a_mirror(drawn: torch.Generator) -> None:
    kinds = torch.randint(0, 2, (ROWS,), generator=drawn)
    kept = ramps(torch.zeros_like(kinds), drawn) * (1 + 2 * kinds[:, None])

    found = classes_turned(kept, given(kept, drawn), AnswerMet(kinds, 2))

    assert found.how == "backwards"
    assert found.taken < 0.6


def test_examples_that_are_given_as_they_are_kept(drawn: torch.Generator) -> None:
    kinds = torch.randint(0, 3, (ROWS,), generator=drawn)
    kept = ramps(kinds, drawn)

    assert classes_turned(kept, kept + 0.01, AnswerMet(kinds, 3)) == ClassesTurned()


def test_images_left_to_right(drawn: torch.Generator) -> None:
    kinds = torch.randint(0, 2, (ROWS,), generator=drawn)
    kept = ramps(kinds, drawn)[:, None, :].expand(-1, 20, -1) + 0.05 * torch.randn(ROWS, 20, LENGTH, generator=drawn)
    mirrored = torch.rand(ROWS, generator=drawn) < 0.5

    found = classes_turned(
        kept[:, None], torch.where(mirrored[:, None, None], kept.flip(-1), kept), AnswerMet(kinds, 2)
    )

    assert found.how == "mirrored left to right"
    assert found.taken > 0.9


def test_likeness_is_told_where_an_example_is_moved_too(drawn: torch.Generator) -> None:
    one = torch.randn(5, 30, generator=drawn)

    assert likeness(one, one.roll(7, 1)).tolist() == pytest.approx([1.0] * 5, abs=1e-5)
    assert float(likeness(one, torch.randn(5, 30, generator=drawn)).max()) < 0.8
