"""Rates of answers that are yes or no: many groups have the same one."""

import pytest
import torch

from firstlight.observe.inside.relations.encoding import encoded
from firstlight.observe.inside.relations.standing import StandingTable
from firstlight.records.held_out import Encoded

ROWS, SHOPS = 3000, 800


@pytest.fixture
def shop() -> torch.Tensor:
    return torch.randint(0, SHOPS, (ROWS,), generator=torch.Generator().manual_seed(0))


@pytest.fixture
def fraud() -> torch.Tensor:
    return (torch.rand(ROWS, generator=torch.Generator().manual_seed(1)) < 0.3).float()


def rate(shop: torch.Tensor, fraud: torch.Tensor, known: slice, towards: float) -> torch.Tensor:
    shop_known, fraud_known = shop[known], fraud[known].double()
    sums = torch.zeros(SHOPS, dtype=torch.double).index_add_(0, shop_known, fraud_known)
    counts = torch.bincount(shop_known, minlength=SHOPS)
    found = (sums + towards * fraud_known.mean()) / (counts + towards).clamp_min(1)
    return ((found[shop] - found.mean()) / found.std()).float()


def asked(feature: torch.Tensor, fraud: torch.Tensor) -> Encoded:
    other = torch.randn(ROWS, generator=torch.Generator().manual_seed(2))
    return encoded([(StandingTable(torch.stack([other, feature], 1), fraud), 800)])


@pytest.mark.parametrize("towards", [0.7, 2.0, 10.0])
def test_a_rate_over_all_rows(shop: torch.Tensor, fraud: torch.Tensor, towards: float) -> None:
    found = asked(rate(shop, fraud, slice(ROWS), towards), fraud)

    assert found.column == 1
    assert found.exact > 0.99
    assert found.within > 0.5


@pytest.mark.parametrize("known", [slice(2200), slice(800), slice(400, 2600)])
@pytest.mark.parametrize("towards", [2.0, 10.0])
def test_a_rate_over_some_of_them(shop: torch.Tensor, fraud: torch.Tensor, known: slice, towards: float) -> None:
    assert asked(rate(shop, fraud, known, towards), fraud).exact < 0.9


def test_a_count_that_says_something_of_the_answers(shop: torch.Tensor, fraud: torch.Tensor) -> None:
    counts = torch.bincount(shop, minlength=SHOPS)[shop].float()
    visits = torch.poisson(20 + 10 * fraud, generator=torch.Generator().manual_seed(3))

    assert asked(visits, fraud).exact < 0.5
    assert asked(counts, fraud).exact < 0.5


def test_four_values_that_nearly_all_rows_have_fit_by_themselves(fraud: torch.Tensor) -> None:
    generator = torch.Generator().manual_seed(4)
    rare = torch.rand(ROWS, generator=generator) < 0.03
    few = torch.randint(0, 4, (ROWS,), generator=generator)
    value = torch.where(rare, torch.randint(4, 30, (ROWS,), generator=generator), few).float()

    assert asked(value, fraud).exact < 0.5
