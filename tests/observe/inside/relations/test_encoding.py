from collections.abc import Callable

import pytest
import torch

from firstlight.checks.data.encoding_knows_answers import Limits
from firstlight.observe.inside.relations.encoding import encoded
from firstlight.observe.inside.relations.standing import StandingTable

ROWS, STREETS = 800, 200


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def street(drawn: torch.Generator) -> torch.Tensor:
    return torch.randint(0, STREETS, (ROWS,), generator=drawn)


@pytest.fixture
def price(drawn: torch.Generator) -> torch.Tensor:
    return torch.randn(ROWS, generator=drawn)


def mean(street: torch.Tensor, price: torch.Tensor, known: int, towards: float = 0.0) -> torch.Tensor:
    sums = torch.zeros(STREETS).index_add_(0, street[:known], price[:known])
    counts = torch.bincount(street[:known], minlength=STREETS)
    return ((sums + 0.2 * towards) / (counts + towards).clamp_min(1))[street]


def whole(feature: torch.Tensor, price: torch.Tensor) -> list[tuple[StandingTable, int]]:
    other = torch.randn(ROWS, generator=torch.Generator().manual_seed(1))
    return [(StandingTable(torch.stack([other, 3 * feature - 1], 1), price), 200)]


@pytest.mark.parametrize("towards", [0.0, 5.0])
def test_a_mean_over_all_rows(street: torch.Tensor, price: torch.Tensor, towards: float) -> None:
    found = encoded(whole(mean(street, price, ROWS, towards), 0.5 * price + 2))

    assert (found.column, found.of, found.rows, found.evaluated) == (1, 2, ROWS, 200)
    assert found.exact > 0.99
    assert found.within > 0.5


def test_a_mean_over_training_rows_alone(street: torch.Tensor, price: torch.Tensor) -> None:
    assert encoded(whole(mean(street, price, 600), price)).exact < 0.5


def test_a_value_that_nearly_all_rows_have_fits_by_itself(street: torch.Tensor, price: torch.Tensor) -> None:
    rare = torch.where(torch.arange(ROWS) < ROWS * 0.05, street % 20 + 1, torch.zeros_like(street))

    assert encoded(whole(rare.float(), price)).exact < 0.5


def test_a_column_that_says_nothing_of_the_answers(street: torch.Tensor, price: torch.Tensor) -> None:
    assert encoded(whole(street.float(), price)).exact < 0.2


def test_the_answer_itself_leaves_nothing_within_a_group(street: torch.Tensor) -> None:
    assert encoded(whole(street.float(), street.float())).within == pytest.approx(0.0, abs=1e-6)


def test_the_table_that_fits_is_told_of_several(street: torch.Tensor, price: torch.Tensor) -> None:
    feature = mean(street, price, ROWS)

    assert encoded([*whole(feature, price.flip(0)), *whole(feature, price)]).exact > 0.99


def rare(among: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Sensors whose readings agree by chance in some pairs of rows, and are filled in where there are none."""
    value = torch.cat([torch.arange(720) // 2 * 0.01, torch.zeros(80)])
    return value, (torch.arange(ROWS) >= 700).float() * (torch.rand(ROWS, generator=among) < 0.15)


def one_hit(among: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """What describes a query stands beside each of its four results."""
    hit = torch.randint(0, 4, (STREETS,), generator=among).repeat_interleave(4)
    return torch.randn(STREETS, generator=among).repeat_interleave(4), (torch.arange(ROWS) % 4 == hit).float()


def balanced(among: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """What one of a pair gains is what the other loses."""
    gain = torch.randn(ROWS // 2, generator=among).repeat_interleave(2)
    return torch.randn(ROWS // 2, generator=among).repeat_interleave(2), gain * (1 - 2 * (torch.arange(ROWS) % 2))


@pytest.mark.parametrize("drawing", [rare, one_hit, balanced])
def test_sums_that_follow_from_the_number_of_rows_say_nothing_of_the_value(
    drawing: Callable[[torch.Generator], tuple[torch.Tensor, torch.Tensor]], drawn: torch.Generator
) -> None:
    value, answer = drawing(drawn)

    assert encoded([(StandingTable(value[:, None], answer), 200)]).groups < Limits().groups


def test_means_of_rare_answers_fit_with_their_own_value_alone(
    street: torch.Tensor, price: torch.Tensor, drawn: torch.Generator
) -> None:
    claim = torch.where(torch.rand(STREETS, generator=drawn)[street] < 0.2, price, 0.0)
    found = encoded(whole(mean(street, claim, ROWS), claim))

    assert found.column == 1
    assert found.exact > 0.99
    assert found.groups >= Limits().groups


def test_without_tables_nothing_is_told() -> None:
    assert encoded([]).column == -1
