import torch

from firstlight.observe.inside.rescaled import LEAST_ROWS, Rescaled

DATA = torch.randn(300, 8, generator=torch.Generator().manual_seed(0))
SLOPE, OFFSET = torch.linspace(0.5, 2, 8), torch.linspace(-1, 1, 8)


def test_what_lies_on_one_another_once_it_is_scaled_is_the_same() -> None:
    found = Rescaled.of(DATA[60:], DATA[:240] * SLOPE + OFFSET)

    assert found is not None
    assert found.compared(DATA[:60], DATA[240:] * SLOPE + OFFSET) == (1.0, 1.0, 0.0, 0.0)


def test_columns_that_never_vary_are_left_out() -> None:
    flat = DATA.clone()
    flat[:, 3] = 1.0
    found = Rescaled.of(flat[60:], flat[:240] * SLOPE + OFFSET)

    assert found is not None
    assert found.compared(flat[:60], flat[240:] * SLOPE + OFFSET) == (1.0, 1.0, 0.0, 0.0)


def test_other_examples_of_the_same_kind_are_none() -> None:
    assert Rescaled.of(DATA[:150], DATA[150:] * SLOPE + OFFSET) is None


def test_few_rows_and_other_widths_are_not_compared() -> None:
    assert Rescaled.of(DATA[: LEAST_ROWS - 1], DATA[: LEAST_ROWS - 1]) is None
    assert Rescaled.of(DATA, DATA[:, :4]) is None
    found = Rescaled.of(DATA, DATA * 2)
    assert found is not None
    assert found.compared(DATA[:, :4], DATA) is None
    assert found.compared(None, DATA) is None
