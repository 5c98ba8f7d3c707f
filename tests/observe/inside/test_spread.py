import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from firstlight.observe.inside.spread import Spread


def spread(*batches: torch.Tensor) -> Spread:
    made = Spread("x", batches[0])
    for batch in batches:
        made.add(batch)
    return made


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_batches_add_up_to_the_whole(sizes: list[int]) -> None:
    whole = torch.randn(sum(sizes), 3, generator=torch.Generator().manual_seed(sum(sizes))) * 5 + 2
    parts = spread(*whole.split(sizes))

    assert torch.allclose(parts.std, whole.double().std(0, unbiased=False), atol=1e-6)
    assert parts.columns().mean == pytest.approx(float(whole.mean()), abs=1e-5)
    assert (parts.columns().low, parts.columns().high) == (float(whole.min()), float(whole.max()))


def test_columns_that_rest_and_columns_that_repeat() -> None:
    table = torch.randn(40, 6)
    table[:, 2], table[:, 5] = 7.0, table[:, 0]
    seen = spread(table[:20], table[20:]).columns()

    assert (seen.constant, seen.first_constant) == (1, (2,))
    assert (seen.twins, seen.first_twins) == (1, ((0, 5),))


def test_a_column_that_repeats_in_one_batch_alone_is_no_twin() -> None:
    first, second = torch.randn(20, 4), torch.randn(20, 4)
    first[:, 3] = first[:, 0]

    assert spread(first, second).columns().twins == 0


def test_channels_are_the_columns_of_pictures() -> None:
    pictures = torch.randn(8, 3, 5, 5) * torch.tensor([1.0, 10.0, 100.0])[:, None, None]
    seen = spread(pictures).columns()

    assert seen.columns == 3
    assert seen.widest / seen.narrowest > 50


def test_whole_numbers_and_missing_ones() -> None:
    table = torch.randint(0, 256, (30, 4)).float()
    assert spread(table).columns().whole
    table[3, 1] = float("nan")
    seen = spread(table, torch.rand(5, 4)).columns()

    assert (seen.nonfinite, seen.whole) == (1, False)


def test_the_distance_is_that_of_a_usual_column() -> None:
    train, other = torch.randn(400, 5), torch.randn(400, 5)
    apart, wider = spread(train).distance(spread(other * 255 + 100))

    assert 80 < apart < 120
    assert 200 < wider < 300
    other[:, 0] *= 1000  # one odd column is not the preparation
    assert spread(train).distance(spread(other))[1] < 2
