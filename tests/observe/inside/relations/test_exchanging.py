"""Points of small pictures, some of which are mirrored."""

import pytest
import torch

from firstlight.observe.inside.relations.exchanging import exchanged

ROWS, SIDE = 200, 10
AXIS = torch.linspace(-1, 1, SIDE)


@pytest.fixture
def mirrored() -> torch.Tensor:
    return torch.rand(ROWS, generator=torch.Generator().manual_seed(1)) < 0.4


def drawn(points: torch.Tensor) -> torch.Tensor:
    """A picture with a spot at each point."""
    across, down = (AXIS - points[..., :1]) ** 2, (AXIS - points[..., 1:]) ** 2
    return torch.exp(-(across[:, :, None] + down[..., None]) / 0.05).sum(1)


@pytest.fixture
def faces() -> torch.Tensor:
    """Left and right eye, and a mouth below."""
    generator = torch.Generator().manual_seed(0)
    usual = torch.tensor([[-0.5, -0.4], [0.5, -0.4], [0.0, 0.5]])
    return usual + 0.15 * torch.randn(ROWS, 1, 2, generator=generator) + 0.05 * torch.randn(ROWS, 3, 2)


def mirror(points: torch.Tensor) -> torch.Tensor:
    return points * torch.tensor([-1.0, 1.0])


def test_left_and_right_that_stand_where_they_stood(faces: torch.Tensor, mirrored: torch.Tensor) -> None:
    given = torch.where(mirrored[:, None, None], mirror(faces), faces)
    found = exchanged(drawn(given).flatten(1), mirrored, given.flatten(1).double())

    assert (0, 2) in found.pairs
    assert 4 not in {number for pair in found.pairs for number in pair}  # the mouth is in the middle
    assert found.as_they_are > 1 > 0.3 > found.exchanged


def test_left_and_right_that_are_exchanged(faces: torch.Tensor, mirrored: torch.Tensor) -> None:
    given = torch.where(mirrored[:, None, None], mirror(faces)[:, [1, 0, 2]], faces)

    assert exchanged(drawn(given).flatten(1), mirrored, given.flatten(1).double()).pairs == ()


def test_points_that_are_left_as_they_were_are_another_illness(faces: torch.Tensor, mirrored: torch.Tensor) -> None:
    moved = faces.clone()
    moved[:, :2] = faces[:, 2:]  # all in the middle: nothing is left or right
    given = torch.where(mirrored[:, None, None], mirror(moved), moved)

    assert exchanged(drawn(given).flatten(1), mirrored, moved.flatten(1).double()).pairs == ()


def test_few_examples_and_a_single_number_are_not_asked(faces: torch.Tensor, mirrored: torch.Tensor) -> None:
    table, answer = drawn(faces).flatten(1), faces.flatten(1).double()

    assert exchanged(table[:40], mirrored[:40], answer[:40]).pairs == ()
    assert exchanged(table, mirrored, answer[:, :1]).pairs == ()
