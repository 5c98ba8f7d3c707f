import torch

from firstlight.observe.inside.relations.pockets import pockets


def values(rows: int = 300, columns: int = 6) -> torch.Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(0))


def test_rows_of_another_unit_are_found_in_their_column() -> None:
    given = values().abs() + 1
    given[::10, 2] *= 1000

    (found,) = pockets("input 0", given, by_column=True)

    assert (found.name, found.column, found.rows, found.of) == ("input 0", 2, 30, 300)
    assert 500 < found.factor < 2000


def test_images_that_were_divided_twice_are_found_as_rows() -> None:
    given = values(columns=64)
    given[:40] /= 255

    (found,) = pockets("input 0", given, by_column=False)

    assert (found.column, found.rows) == (None, 40)
    assert found.factor < 1 / 100


def test_a_single_value_must_be_far_out() -> None:
    given = values().abs() + 1
    given[7, 1] = 4000.0

    assert [found.rows for found in pockets("input 0", given, by_column=True)] == [1]
    given[7, 1] = 200.0
    assert pockets("input 0", given, by_column=True) == []


def test_ordinary_values_zeros_and_codes_have_no_pockets() -> None:
    given = values()
    given[:, 0] = (given[:, 0] > 0).float()
    given[:, 1] = given[:, 1].clamp_min(0)
    given[:, 2] = given[:, 2].exp()
    given[:, 3] = torch.where(given[:, 3] > 1, 0.91, 0.01)

    assert pockets("input 0", given, by_column=True) == []
    assert pockets("input 0", given, by_column=False) == []
    assert pockets("input 0", given[:63] * 0, by_column=True) == []
