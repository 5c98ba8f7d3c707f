"""Where no sign of learning was seen, and that has a reason, the reason is told instead."""

import pytest
from msgspec.structs import replace
from tests.facts.test_derive_steps import STEP

from firstlight.facts.learning import PLAYERS, WARMING, learning_signs, norm_statistics, unlearnt
from firstlight.facts.sightings import Sightings
from firstlight.records.inner import NormStatistics
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, Gone, LearningSign
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


SIGN = LearningSign(status=CERTIFIED, reason="", site=SITES[0], steps=40, fresh=40, step=99, rank=0)
LOST = Gone(best_at=40, best=1.0, best_loss=0.2, since=80, gap=0.0, loss=1.2)


def test_what_was_lost_is_told_with_the_rate_from_half_way_on() -> None:
    steps = [replace(STEP, step=at, lr=0.001 * at) for at in range(120)]
    (found,) = unlearnt(Sightings([*steps, replace(SIGN, status=NOT_CERTIFIED, gone=LOST)]))
    assert found.rate == pytest.approx(0.04)
    assert found.risen == pytest.approx(0.08)
    assert found.optimizers == 1


def test_what_was_kept_is_not_told() -> None:
    assert not list(unlearnt(Sightings([STEP, SIGN])))


NORM = NormStatistics(step=25, module="1", site=None, batches=26, momentum=0.9, apart=0.1, began=1.0)


@pytest.mark.parametrize(("fed", "varied"), [(["a", "b"], True), (["a", "a"], False), ([None, None], True)])
def test_whether_batches_change_is_told_where_it_is_known(fed: list[str | None], varied: bool) -> None:
    steps = [replace(STEP, step=at, batch=batch) for at, batch in enumerate(fed)]
    (found,) = norm_statistics(Sightings([*steps, NORM, replace(NORM, step=50, batches=51)]))
    assert (found.batches, found.varied) == (51, varied)
