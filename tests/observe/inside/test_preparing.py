from collections.abc import Callable

import pytest
import torch

from firstlight.observe.inside.preparing import ExampleSample, LateSample, prepared, prepared_of_any
from firstlight.records.feed import Preparation

Change = Callable[[torch.Tensor], torch.Tensor]


def sample(table: torch.Tensor) -> ExampleSample:
    found = ExampleSample()
    for batch in table.split(32):
        found.add(batch)
    return found


def compared(first: torch.Tensor, second: torch.Tensor) -> Preparation:
    return prepared(sample(first), sample(second))


def table(rows: int, seed: int) -> torch.Tensor:
    """Columns that differ in where they lie, how wide they are and how they are spread."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(rows, 5, generator=generator)
    drawn[:, 1] = drawn[:, 1].exp()
    drawn[:, 2] = (drawn[:, 2] > 0.5).float()
    return drawn * torch.tensor([1.0, 0.7, 2.0, 1.0, 0.5]) + torch.tensor([0.0, 2.0, 0.0, 1.0, -1.0])


def images(rows: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    shape = torch.linspace(0, 1, 8) ** 2 + torch.linspace(0, 0.3, 8)[:, None]
    return shape + 0.2 * torch.randn(rows, 1, 8, 8, generator=generator)


@pytest.mark.parametrize("again", [True, False])
def test_a_later_stage_may_be_trained_as_the_evaluation_was_prepared(again: bool) -> None:
    """A network trained on upright pictures, and then on turned ones, is looked at with turned ones."""
    first, late = ExampleSample(), LateSample()
    for upright in (True, False):
        for at in range(160):
            batch = images(32, at)
            batch = batch if upright or not again else batch.transpose(-1, -2)
            first.add(batch)
            late.add(batch)
    turned = sample(images(200, 999).transpose(-1, -2))

    assert prepared(first, turned).turned
    assert late.kept <= 512
    assert prepared_of_any([first, late], turned).turned is not again


def test_two_samples_of_the_same_data_are_alike() -> None:
    for made in (table, images):
        found = compared(made(400, 1), made(200, 2))

        assert found.factor == pytest.approx(1.0, abs=0.1)
        assert found.offset == pytest.approx(0.0, abs=0.2)
        assert found.own < 2
        assert found.ascending == ""


@pytest.mark.parametrize("made", [table, images])
@pytest.mark.parametrize(("factor", "offset"), [(0.01, 0.0), (2.0, -3.0), (1.0, 2.0)])
def test_one_factor_and_offset_for_all_places(
    made: Callable[[int, int], torch.Tensor], factor: float, offset: float
) -> None:
    found = compared(made(400, 1), factor * made(200, 2) + offset)

    assert found.factor == pytest.approx(factor, rel=0.1)
    assert found.even >= 0.8
    assert (abs(found.offset) > 1) == (abs(offset) > 1)
    assert found.places > 3


def test_a_column_that_shifts_by_itself_makes_no_rule() -> None:
    shifted = table(200, 2)
    shifted[:, :2] *= 6

    assert compared(table(400, 1), shifted).factor == pytest.approx(1.0, abs=0.15)


def test_places_that_rise_together_are_one() -> None:
    level = torch.randn(400, 1, generator=torch.Generator().manual_seed(0))

    assert compared(level + torch.zeros(400, 12), 2 * level + torch.zeros(400, 12)).places == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("made", "change", "name"),
    [
        (table, lambda t: t[:, [0, 3, 2, 1, 4]], "with columns 1, 3 exchanged"),
        (table, lambda t: t.roll(2, 1), "moved by 3"),
        (images, lambda t: t.flip(-1), "mirrored along axis 3"),
        (images, lambda t: t.roll(3, -1), "moved by 5 along axis 3"),
        (images, lambda t: t.transpose(-1, -2), "with rows and columns exchanged"),
    ],
    ids=["exchanged", "columns moved", "mirrored", "pixels moved", "transposed"],
)
def test_another_order_is_named_and_leaves_hardly_any_distance(
    made: Callable[[int, int], torch.Tensor], change: Change, name: str
) -> None:
    found = compared(made(400, 1), change(made(200, 2)))

    assert found.order == name
    assert found.own > 4
    assert found.ordered < 2


def test_a_side_that_is_sorted_is_named() -> None:
    first, second = table(400, 1), table(200, 2)

    assert compared(first.sort(-1).values, second).ascending == "training"
    assert compared(first, second.sort(-1).values).ascending == "evaluation"
    assert compared(first.sort(-1).values, second.sort(-1).values).ascending == ""


def test_too_few_rows_other_shapes_and_huge_examples_are_not_compared() -> None:
    assert compared(table(400, 1), 100 * table(23, 2)) == Preparation()
    assert compared(table(400, 1), 100 * table(200, 2)[:, :4]) == Preparation()
    assert compared(torch.zeros(40, 5), torch.randn(40, 5)) == Preparation()
    large = ExampleSample()
    large.add(torch.randn(2, 3, 64, 64))
    assert large.kept == 0
