"""Where no sign of learning was seen, and that has a reason, the reason is told instead."""

import pytest
from msgspec.structs import replace
from tests.facts.test_derive_steps import STEP

from firstlight.facts.learning import PLAYERS, WARMING, learning_signs
from firstlight.facts.sightings import Sightings
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, LearningSign
from firstlight.records.places import Site

COUNT = 40
SITES = (Site(file="train.py", line=10), Site(file="train.py", line=20))


def told(rates: list[float], optimizers: list[int] | None = None, status: str = NO_SIGN) -> tuple[str, str]:
    """Each optimizer has a backward of its own."""
    sign = LearningSign(status=status, reason="the gap did not grow", site=SITES[0], steps=99, fresh=9, step=99, rank=0)
    numbers = optimizers or [0] * len(rates)
    steps = [
        replace(STEP, step=at, lr=rate, optimizer=number, backward_site=SITES[number])
        for at, (rate, number) in enumerate(zip(rates, numbers, strict=True))
    ]
    (found,) = learning_signs(Sightings([*steps, sign]))
    return found.status, found.reason


@pytest.mark.parametrize("held", [0, COUNT // 2])
def test_a_rate_that_still_rises_is_no_fair_trial(held: int) -> None:
    rising = [1e-5 * (1 + at) for at in range(COUNT)]
    rates = rising[: COUNT - held] + [rising[COUNT - held - 1]] * held

    assert told(rates) == ((NO_SIGN, "the gap did not grow") if held else (NOT_CERTIFIED, WARMING))
    assert told(rates[::-1])[0] == NO_SIGN
    assert told(rates, status=CERTIFIED)[0] == CERTIFIED


@pytest.mark.parametrize(
    ("optimizers", "reason"),
    [
        ([0, 1] * (COUNT // 2), PLAYERS),
        ([0] * (COUNT // 2) + [1] * (COUNT // 2), "the gap did not grow"),
        ([0] * COUNT, "the gap did not grow"),
    ],
    ids=["in turns", "in stages", "alone"],
)
def test_players_with_losses_of_their_own_need_not_get_better(optimizers: list[int], reason: str) -> None:
    assert told([1e-3] * COUNT, optimizers)[1] == reason


def test_two_optimizers_with_rates_of_their_own_do_not_rise() -> None:
    assert told([1e-3, 2e-3] * (COUNT // 2), [0, 1] * (COUNT // 2))[1] == PLAYERS
