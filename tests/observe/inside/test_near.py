"""Evaluated examples that are trained ones, made a little noisy."""

import pytest
import torch
from torch import Tensor

from firstlight.observe.inside import rows
from firstlight.observe.inside.near import NearCopies


def share(trained: Tensor, asked: Tensor) -> float:
    found = NearCopies()
    for batch in trained.split(50):
        found.train({"x": batch}, rows.keys([batch]))
    keys = rows.keys([asked])
    found.evaluate({"x": asked}, keys, set(keys) & set(rows.keys([trained])))
    return found.share()


@pytest.fixture
def table() -> Tensor:
    return torch.randn(500, 12, generator=torch.Generator().manual_seed(0))


def test_copies_with_a_little_noise_are_found(table: Tensor) -> None:
    noise = torch.randn(40, 12, generator=torch.Generator().manual_seed(1))

    assert share(table[:400], torch.cat([table[:40] + 0.01 * noise, table[400:460]])) == pytest.approx(0.4)
    assert share(table[:400], table[:40] + 0.5 * noise) == 0.0


def test_that_a_part_has_its_twin_among_the_trained_ones_too_hides_nothing(table: Tensor) -> None:
    twins = torch.cat([table, table + 0.01])
    order = torch.randperm(1000, generator=torch.Generator().manual_seed(2))

    assert share(twins[order[:800]], twins[order[800:]]) > 0.5


def test_other_examples_of_the_same_kind_are_no_copies(table: Tensor) -> None:
    assert share(table[:400], table[400:]) == 0.0
    assert share(table[:400].round(), table[400:].round()) == 0.0


def test_rows_of_categories_with_one_measured_column_are_no_copies() -> None:
    drawn = torch.Generator().manual_seed(0)
    codes = torch.nn.functional.one_hot(torch.randint(0, 6, (600, 2), generator=drawn), 6).flatten(1).float()
    table = torch.cat([codes, torch.rand(600, 1, generator=drawn)], 1)

    assert share(table[:500], table[500:]) == 0.0


def test_moments_of_a_slow_series_are_no_copies() -> None:
    series = torch.randn(700, 6, generator=torch.Generator().manual_seed(0)).cumsum(0)

    assert share(series[:600], series[600:]) == 0.0


@pytest.mark.parametrize("parameters", [1, 2, 3])
def test_examples_of_few_parameters_are_near_each_other_by_nature(parameters: int) -> None:
    drawn = torch.rand(700, 3, generator=torch.Generator().manual_seed(0))
    drawn[:, parameters:] = 0.5
    table = (1 + drawn[:, 2:]) * torch.sin(6 * torch.arange(12) * drawn[:, :1] + 6 * drawn[:, 1:2])

    assert share(table[:500], table[500:]) == 0.0


def test_exact_copies_are_counted_elsewhere(table: Tensor) -> None:
    assert share(table, table[:40]) == 0.0


def test_ids_and_several_inputs_are_not_compared(table: Tensor) -> None:
    found = NearCopies()
    found.train({"x": table.long()}, rows.keys([table]))
    found.train({"x": table, "z": table}, rows.keys([table]))

    assert found.share() == 0.0
