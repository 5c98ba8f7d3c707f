"""Where no sign of learning was seen, and that has a reason, the reason is told instead."""

import math

import pytest
from msgspec.structs import replace
from tests.facts.test_derive_backwards import BACKWARD
from tests.facts.test_derive_steps import STEP

from firstlight.facts.learning import (
    PLAYERS,
    RAISED,
    WARMING,
    is_meant_to_rise,
    learning_signs,
    loss_curves,
    norm_statistics,
    unlearnt,
)
from firstlight.facts.sightings import Sightings
from firstlight.records.inner import NormStatistics, WayTaken
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, Gone, LearningSign
from firstlight.records.places import Site
from firstlight.records.taped import PullSeen

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


def pull(right: float, contrary: float) -> PullSeen:
    return PullSeen(
        kind="values", operation="sub", site=SITES[0], backward=SITES[0], right=right, contrary=contrary, step=1, rank=0
    )


@pytest.mark.parametrize(
    ("along", "pulls", "rises"),
    [
        ([0.9, 0.11], [], True),
        ([0.9, 0.1], [], False),
        ([0.9], [], False),
        ([-0.9, -0.9], [], False),
        ([0.9, 0.9], [(2.0, 1.0)], True),
        ([0.9, 0.9], [(2.0, 1.0), (1.0, 2.0)], False),
        ([math.nan, 0.9], [], False),
        ([], [], False),
    ],
)
def test_steps_that_climb_are_meant_to_unless_right_predictions_are_lower(
    along: list[float], pulls: list[tuple[float, float]], rises: bool
) -> None:
    ways = [WayTaken(along=one, step=at, rank=0) for at, one in enumerate(along)]
    sign = LearningSign(status=NO_SIGN, reason="none", site=SITES[0], steps=99, fresh=9, step=99, rank=0)
    back = replace(BACKWARD, value=2.0, rank=0)
    seen = Sightings([*ways, *(pull(*pair) for pair in pulls), sign, back])

    assert is_meant_to_rise(seen, 0) is rises
    assert [one.reason for one in learning_signs(seen)] == [RAISED if rises else "none"]
    assert [one.values for one in loss_curves(seen)] == [(-2.0,) if rises else (2.0,)]


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
