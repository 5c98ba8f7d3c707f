"""Rows of a captured batch that are far larger than the others."""

import pytest
import torch

from firstlight.guard.replay.material import Material
from firstlight.guard.replay.outliers import outliers_in


def material(batch: list[torch.Tensor]) -> Material:
    return Material(step=0, random={}, batches=[batch], inputs=[], models={}, optimizers={})


@pytest.mark.parametrize(("times", "told"), [(1.0, ""), (300.0, "in `0` of the batch row 8 is ")])
def test_they_are_told_even_where_they_are_many(times: float, told: str) -> None:
    rows = torch.randn(32, 8, generator=torch.Generator().manual_seed(0))
    rows[8:28] *= times
    words = outliers_in(material([rows, torch.zeros(32)]))
    assert words.startswith(told)
    assert ("19 more rows" in words) == bool(told)


def test_whole_numbers_and_single_values_say_nothing() -> None:
    assert outliers_in(material([torch.arange(8), torch.tensor(3.0)])) == ""
