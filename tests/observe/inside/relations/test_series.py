import pytest
import torch

from firstlight.observe.inside.relations.series import series_of

DRAWS = torch.randint(0, 50, (8, 20), generator=torch.Generator().manual_seed(0))


@pytest.fixture
def ids() -> torch.Tensor:
    """What stands at a place says something of the next."""
    return (DRAWS[:, :1] + DRAWS.remainder(3).cumsum(1)) % 50


@pytest.mark.parametrize("offset", [-1, 0, 1, 2])
def test_the_offset_of_a_shifted_sequence(ids: torch.Tensor, offset: int) -> None:
    given = ids[:, 3:-3]
    target = ids[:, 3 + offset : ids.shape[1] - 3 + offset].reshape(-1)

    (series,) = series_of([given], target, 8)

    assert series.offset() == offset
    assert series.aligned


@pytest.mark.parametrize(("draws", "found"), [(DRAWS, None), (DRAWS.double().log1p(), None)], ids=["ids", "values"])
def test_earlier_draws_that_say_nothing_of_each_other_are_to_be_remembered(draws: torch.Tensor, found: None) -> None:
    (series,) = series_of([draws[:, 3:, None] if draws.is_floating_point() else draws[:, 3:]], draws[:, :-3], 8)

    assert series.offset() is found


def test_a_forecast_that_overlaps_its_input() -> None:
    walk = torch.randn(16, 30, generator=torch.Generator().manual_seed(0)).cumsum(1)

    (series,) = series_of([walk[:, :24, None]], walk[:, 20:24], 16)

    assert (series.offset(), series.aligned) == (20, False)


def test_few_different_ids_are_alike_by_nature(ids: torch.Tensor) -> None:
    assert list(series_of([ids % 4], ids % 4, 8)) == []
    assert list(series_of([ids], ids.float(), 8)) == []
