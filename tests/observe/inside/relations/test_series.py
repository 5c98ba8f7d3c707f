import pytest
import torch

from firstlight.observe.inside.relations.series import series_of


@pytest.fixture
def ids() -> torch.Tensor:
    return torch.randint(0, 50, (8, 20), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("offset", [-1, 0, 1, 2])
def test_the_offset_of_a_shifted_sequence(ids: torch.Tensor, offset: int) -> None:
    given = ids[:, 3:-3]
    target = ids[:, 3 + offset : ids.shape[1] - 3 + offset].reshape(-1)

    (series,) = series_of([given], target, 8)

    assert series.offset() == offset
    assert series.aligned


def test_a_forecast_that_overlaps_its_input() -> None:
    walk = torch.randn(16, 30, generator=torch.Generator().manual_seed(0)).cumsum(1)

    (series,) = series_of([walk[:, :24, None]], walk[:, 20:24], 16)

    assert (series.offset(), series.aligned) == (20, False)


def test_few_different_ids_are_alike_by_nature(ids: torch.Tensor) -> None:
    assert list(series_of([ids % 4], ids % 4, 8)) == []
    assert list(series_of([ids], ids.float(), 8)) == []
