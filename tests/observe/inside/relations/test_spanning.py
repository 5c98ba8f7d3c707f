import pytest
import torch

from firstlight.observe.inside.relations.spanning import spans

ROWS = 600


@pytest.fixture
def series() -> torch.Tensor:
    drawn = torch.randn(ROWS, generator=torch.Generator().manual_seed(0))
    for row in range(1, ROWS):
        drawn[row] += 0.6 * drawn[row - 1]
    return drawn


def mean(series: torch.Tensor, first: int, last: int) -> torch.Tensor:
    return torch.stack([series.roll(-by) for by in range(first, last + 1)]).mean(0)


def table(series: torch.Tensor, feature: torch.Tensor) -> torch.Tensor:
    noise = torch.randn(len(series), 2, generator=torch.Generator().manual_seed(1))
    found = torch.cat([noise, series.roll(1)[:, None], feature[:, None]], 1)
    return (found - 0.3) / 1.7


@pytest.mark.parametrize(("first", "last"), [(-2, 0), (-1, 1), (-23, 0), (0, 3), (-12, 12)])
def test_a_mean_that_takes_in_its_own_row(series: torch.Tensor, first: int, last: int) -> None:
    found = spans(table(series, mean(series, first, last)), series)

    assert (found.count, found.column) == (1, 3)
    assert (found.first, found.last, found.taps) == (first, last, last - first + 1)
    assert found.exact > 0.99
    assert found.earlier < 0.1


@pytest.mark.parametrize(("first", "last"), [(-3, -1), (-24, -1), (-1, -1), (1, 3)])
def test_a_mean_that_leaves_out_its_own_row(series: torch.Tensor, first: int, last: int) -> None:
    assert spans(table(series, mean(series, first, last)), series).count == 0


def test_series_one_after_the_other(series: torch.Tensor) -> None:
    several = series.reshape(10, 60)
    smooth = torch.stack([mean(one, -1, 1) for one in several]).reshape(-1)

    found = spans(table(series, smooth), series)

    assert found.column == 3
    assert 0.85 < found.exact < 1.0


def test_a_difference_is_what_some_models_of_motion_are_given(series: torch.Tensor) -> None:
    assert spans(table(series, series - series.roll(1)), series).count == 0


def test_the_answer_itself_is_no_mean(series: torch.Tensor) -> None:
    assert spans(table(series, series), series).count == 0


def test_a_mean_with_noise_is_another_thing(series: torch.Tensor) -> None:
    noise = 0.05 * torch.randn(ROWS, generator=torch.Generator().manual_seed(2))

    assert spans(table(series, mean(series, -2, 0) + noise), series).count == 0


def test_a_series_without_noise_goes_on_by_what_came_before() -> None:
    clock = torch.arange(ROWS) / 5.0
    wave = torch.sin(clock) + torch.cos(0.37 * clock)

    found = spans(table(wave, mean(wave, -2, 0)), wave)

    assert found.count == 0 or found.earlier > 0.5


def test_few_rows_or_classes_tell_nothing(series: torch.Tensor) -> None:
    assert spans(table(series, series)[:200], series[:200]).rows == 0
    assert spans(table(series, series), (series > 0).float()).rows == 0
