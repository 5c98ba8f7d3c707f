"""How a rate is searched for: ramps say where to look, short real trainings at the candidates say which.

Ramps begin from other batches each, so that what they agree on is no accident of one. The ladder of trainings begins at
their middle and grows towards the better end while it tells.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firstlight.experiments.plan import Order
from firstlight.lab import ramps
from firstlight.lab.copies import Known, Trial
from firstlight.lab.ladder import Ladder, Rung, ladder
from firstlight.records.steered import CurvatureSeen

LOW, HIGH = 1e-7, 10.0
"""The rates a ramp goes through."""
RAMPS = 3
RAMP_STEPS = 120
SKIPS = (0, 7, 19)
"""Batches each ramp passes over before it begins."""
STEP = math.sqrt(10.0)
"""From one rung of the ladder to the next."""
REACH = 2
"""Rungs below and above the middle, at first."""
MOST_ROUNDS = 4
"""Times the ladder grows at an end."""
STILL = 10
"""Steps at a rate that moves nothing, in which an optimizer gathers what it divides its steps by."""
CURVATURE = "curvature"
WARM = (10, 3)
"""A warm-up lasts one step in so many of the training."""
RISES = 1.5
"""Times its first rate that a program with a warm-up of its own reaches."""
SHARED = 1.5
"""Times the seconds of a training that a copy may take, as others run beside it. What it did by then is compared."""
LEAST_STEPS = 20


@dataclass(frozen=True)
class RateSearch:
    """Which copies come next. Pure: the same knowledge gives the same orders."""

    steps: int
    seconds: float
    """Of a training, at most."""

    def __call__(self, known: Known) -> Sequence[Order]:
        if len(known.program.losses) < LEAST_STEPS or not known.program.rates:
            return ()
        found = self._ramps(known)
        if any(order.name not in known.trials for order in found):
            return found
        rungs = self._rungs(known)
        if any(order.name not in known.trials for order in rungs):
            return rungs
        return self._warm_ups(known)

    def _ramps(self, known: Known) -> list[Order]:
        """And, beside them, how curved the loss is before anything was learnt."""
        steps = min(RAMP_STEPS, len(known.program.losses))
        ramps = [
            self._order(known, f"ramp-{place}", f"lr-ramp={LOW}:{HIGH}:{steps}", *_from_elsewhere(place), steps=steps)
            for place in range(RAMPS)
        ]
        still = self._order(known, CURVATURE, f"lr-held={LOW}", f"{CURVATURE}={STILL}", steps=STILL + 1)
        return [*ramps, still]

    def _rungs(self, known: Known) -> list[Order]:
        """As far as the best is at an end of what was tried, the ladder goes on there."""
        middle = middle_of(known)
        low, high = -REACH, REACH
        for _ in range(MOST_ROUNDS):
            wanted = [middle * STEP**place for place in range(low, high + 1)]
            if any(rung_name(rate) not in known.trials for rate in wanted):
                break
            climbed = climb(known)
            best = climbed.best
            if best is not None and best.rate > wanted[-1] / STEP:
                high += REACH
            elif best is None or best.rate < wanted[0] * STEP:
                low -= REACH
            else:
                break
        rates = [middle * STEP**place for place in range(low, high + 1)]
        return [self._rung(known, rate) for rate in [*rates, present(known)]]

    def _rung(self, known: Known, rate: float) -> Order:
        warm = f":{len(known.program.losses) // WARM[0]}" if warms_up(known.program) else ""
        return self._order(known, rung_name(rate), f"lr-held={rate:.6g}{warm}")

    def _warm_ups(self, known: Known) -> list[Order]:
        best = climb(known).best
        if best is None or warms_up(known.program):
            return []
        return [
            self._order(known, warm_name(rate, steps), f"lr-held={rate:.6g}:{steps}")
            for rate, steps in warm_ups(known, best)
        ]

    def _order(self, known: Known, name: str, *interventions: str, steps: int | None = None) -> Order:
        length = min(self.steps, len(known.program.losses))
        return Order(name=name, interventions=interventions, steps=steps or length, seconds=SHARED * self.seconds)


def _from_elsewhere(place: int) -> tuple[str, ...]:
    """The first ramp begins as the program does; the others see other batches and other random numbers."""
    return () if place == 0 else (f"seed={place}", f"skip-batches={SKIPS[place % len(SKIPS)]}")


def rung_name(rate: float) -> str:
    return f"rate-{rate:.3e}"


def warm_name(rate: float, steps: int) -> str:
    return f"warm-{rate:.3e}-{steps}"


def present(known: Known) -> float:
    """The rate the program means: the peak of its schedule, where a ramp was told of it."""
    told = [seen.groups[0].rate for trial in known.trials.values() for seen in trial.optimizers[:1] if seen.groups]
    return told[0] if told and told[0] > 0 else max(known.program.rates)


def warms_up(program: Trial) -> bool:
    """Its own schedule raises the rate."""
    return len(program.rates) > 1 and max(program.rates) > RISES * program.rates[0]


def readings(known: Known) -> list[ramps.Reading]:
    made = [known.trials[name] for name in sorted(known.trials) if name.startswith("ramp-")]
    return [ramps.read(trial.rates, trial.losses) for trial in made]


def curvature_at_start(known: Known) -> CurvatureSeen | None:
    return known.trials[CURVATURE].curvature if CURVATURE in known.trials else None


def stable_at_start(known: Known) -> float | None:
    """The rate above which the steepest direction overshoots from the first step on; None where it was not measured."""
    seen = curvature_at_start(known)
    return None if seen is None else seen.stable


def middle_of(known: Known) -> float:
    """Where the ladder begins: between what the ramps say, or at the program's own rate where they say nothing."""
    told = [reading for reading in readings(known) if reading.gained > ramps.FLAT]
    return ramps.middle([rate for one in told for rate in (one.steepest, one.valley)]) or present(known)


def climb(known: Known) -> Ladder:
    return ladder_of(
        {
            float(name.removeprefix("rate-")): trial
            for name, trial in known.trials.items()
            if name.startswith("rate-") and trial.losses
        }
    )


def ladder_of(trials: Mapping[float, Trial]) -> Ladder:
    out_of_time = {rate for rate, trial in trials.items() if trial.out_of_time}
    return ladder({rate: trial.losses for rate, trial in trials.items()}, out_of_time)


def warm_ups(known: Known, best: Rung) -> list[tuple[float, int]]:
    """At the best rate, and at the next one above: that is where a warm-up would pay."""
    steps = len(known.program.losses)
    return [(rate, max(1, steps // part)) for rate in (best.rate, best.rate * STEP) for part in WARM]
