"""Which copies are made next, on programs whose best rate is known because it is invented."""

import math

import pytest

from firstlight.experiments.plan import Order
from firstlight.lab.copies import Known, Trial
from firstlight.lab.lr_find import as_good, warm_up_told
from firstlight.lab.rate_search import STEP, RateSearch, climb, present
from firstlight.records.steered import CurvatureSeen, GroupRate, RatesSeen

STEPS = 100


def end_at(rate: float, best: float) -> float:
    return 0.1 + 0.2 * math.log10(rate / best) ** 2


def carried_out(order: Order, best: float, now: float) -> Trial:
    """As a copy would: a ramp falls up to the best rate and rises beyond it, a training ends where its rate leads."""
    word, _, value = order.interventions[0].partition("=")
    if word == "lr-ramp":
        low, high, steps = map(float, value.split(":"))
        rates = [low * (high / low) ** (step / (steps - 1)) for step in range(int(steps))]
        losses = [1.0 - min(0.9, rate / best) + max(0.0, rate / best / 5 - 1.0) for rate in rates]
    else:
        rates = [float(value.partition(":")[0])] * order.steps
        end = end_at(rates[0], best)
        losses = [end + (1.0 - end) * math.exp(-step / 10) for step in range(order.steps)]
    groups = RatesSeen(step=0, optimizer="SGD", groups=(GroupRate(rate=now, tensors=1, elements=1),))
    return Trial(name=order.name, losses=tuple(losses), rates=tuple(rates), optimizers=(groups,))


def searched(best: float, now: float) -> Known:
    known = Known(Trial(name="program", losses=(1.0,) * STEPS, rates=(now,) * STEPS), finished=False)
    for _ in range(20):
        new = [order for order in RateSearch(STEPS, 20.0)(known) if order.name not in known.trials]
        if not new:
            return known
        known.trials |= {order.name: carried_out(order, best, now) for order in new}
    raise AssertionError("the search does not end")


@pytest.mark.parametrize("best", [1e-5, 1e-3, 0.3])
@pytest.mark.parametrize("now", [1e-4, 1.0])
def test_the_search_comes_within_a_rung_of_the_best_rate(best: float, now: float) -> None:
    found = climb(searched(best, now)).suggested()
    assert found is not None
    assert 1 / STEP < found / best < STEP


@pytest.mark.parametrize("best", [1.4e-3, 2.2e-3, 3e-3])
def test_what_is_suggested_lies_in_the_range_that_is_as_good(best: float) -> None:
    climbed = climb(searched(best, 1e-3))
    suggested = climbed.suggested()
    assert suggested is not None
    low, high = as_good(climbed, suggested)
    assert low <= suggested <= high
    assert all(low <= rung.rate <= high for rung in climbed.rungs if climbed.as_good(rung))


def test_the_present_rate_is_among_those_tried() -> None:
    known = searched(1e-3, 0.05)
    assert present(known) == 0.05
    assert any(rung.rate == pytest.approx(0.05) for rung in climb(known).rungs)


def test_a_program_of_few_steps_or_without_an_optimizer_is_not_searched() -> None:
    short = Known(Trial(name="program", losses=(1.0,) * 5, rates=(0.1,) * 5), finished=True)
    bare = Known(Trial(name="program", losses=(1.0,) * STEPS), finished=True)
    assert not RateSearch(STEPS, 20.0)(short)
    assert not RateSearch(STEPS, 20.0)(bare)


def test_copies_of_a_program_that_warms_up_warm_up_too() -> None:
    rates = tuple(1e-3 * min(1.0, (step + 1) / 10) for step in range(STEPS))
    known = Known(Trial(name="program", losses=(1.0,) * STEPS, rates=rates), finished=False)
    known.trials |= {order.name: carried_out(order, 1e-3, 1e-3) for order in RateSearch(STEPS, 20.0)(known)}
    assert all(
        order.interventions[0].endswith(":10") for order in RateSearch(STEPS, 20.0)(known) if "rate-" in order.name
    )


@pytest.mark.parametrize(
    ("stable", "said"),
    [
        (0.1, "A warm-up is not needed: at the start the curvature allows rates up to 0.1."),
        (1e-5, "At the start the curvature allows no more than 1e-05, but a warm-up brought no gain."),
        (None, "A warm-up is not needed."),
    ],
)
def test_the_curvature_at_the_start_is_held_against_the_rate(stable: float | None, said: str) -> None:
    known = searched(1e-3, 1e-3)
    assert "curvature" in known.trials
    seen = CurvatureSeen(step=10, top=1.0, stable=stable)
    known.trials["curvature"] = Trial(name="curvature", curvature=seen)
    assert warm_up_told(known, climb(known)) == said
