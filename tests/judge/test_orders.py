"""Ladders of experiments go on while they tell."""

import pytest

from firstlight.judge.orders import _rates
from firstlight.observe.watch import Watched
from firstlight.records.contrast import Level


def level(first: float, last: float) -> Level:
    return Level(first=first, last=last, noise=0.0, finite=True)


@pytest.mark.parametrize(
    ("base", "tenth", "ordered"),
    [
        (2.5, 2.4, ["lr-hundredth"]),
        (2.5, 2.3, ["lr-hundredth"]),
        (2.5, 2.2, []),
        (2.2, 2.4, []),
    ],
    ids=["a tenth rises too", "a tenth stands", "a tenth learns", "the program learns"],
)
def test_lower_rates_are_tried_until_one_learns(base: float, tenth: float, ordered: list[str]) -> None:
    assert _rates(Watched(), level(2.3, base), {"lr-tenth": level(2.3, tenth)}) == ordered


def test_every_rung_is_tried_once() -> None:
    stands = level(2.3, 2.3)

    assert _rates(Watched(), level(2.3, 2.5), {"lr-tenth": stands, "lr-hundredth": stands}) == ["lr-thousandth"]


@pytest.mark.parametrize(
    ("hundredfold", "ordered"), [(2.29, ["lr-thousandfold"]), (1.9, []), (1.0, ["lr-thousandfold"])]
)
def test_higher_rates_are_tried_while_nothing_moves_or_each_is_better(hundredfold: float, ordered: list[str]) -> None:
    stands = level(2.3, 2.3)
    rungs = {"lr-tenth": stands, "lr-tenfold": stands, "lr-hundredfold": level(2.3, hundredfold)}

    assert _rates(Watched(), stands, rungs) == ordered
