"""What logged curves alone say, in the words of the knowledge base. What they cannot show is not said at all."""

import math
from collections.abc import Iterator
from itertools import pairwise

from firstlight.diagnosis.case import Case, Claim, Hint
from firstlight.diagnosis.evidence import EXPLODES, FALLS, FLAT, RISES, Seen
from firstlight.diagnosis.knowledge.phrases import CLASSES, floor
from firstlight.facts.trends import Trend, trend
from firstlight.records.curves import Curve, Roles

FEWEST = 5
"""Points of a curve of epochs; fewer have no shape."""
FEWEST_SLOW = 20
"""Points from which a slow fall is one: a run of a few epochs has not had the time."""
FEWEST_STEPS = 40
"""Points from which noise, turns and spikes can be told from a trend."""
SLOW = 0.15
"""Share lost, evenly over the whole run, by one that falls slowly."""
LATE = 0.25
"""Share of a run after which it was well for long."""
FROM_THE_START = 0.1
"""How much less likely faults that are there from the first step are when all was well for long."""
POINTED = 5.0
"""How much more likely a cause is that such a course is known for."""
ALTERNATES = 0.9
"""Share of turning points of a loss that is thrown from one side to the other at every step; noise has 2/3."""
JUMPS = 2.0
"""A level over the one before it, of a loss that jumps and then falls again."""
SPIKES = 3
"""Spikes above the first loss that are not the noise of a healthy run."""
UNBOUNDED = 0.8
"""Fall of the last quarters over that of the first ones, of a loss that has no floor."""
SOLVED = 0.02
"""First loss of both splits that leaves nothing to be learnt."""
SWINGS, TURNS = 0.3, 0.55
"""Step from point to point over the level, and share of turning points, of a loss that oscillates."""
AT_LEVEL = 0.01
"""Relative distance from a known level (a blind guess, the floor of an activation applied twice) at which it rests."""
GRADIENT_EXPLODES = 30.0
"""Late gradients over early ones, by their medians."""
MOSTLY = 0.9
FALLS_BEHIND = 1.1
"""Last validation loss over its lowest."""
FAR_BETTER = 0.5
"""Validation loss over that of training, at the end; dropout and averaging over an epoch explain less."""
GAINS = 0.01
"""Change of a metric that counts as one."""
COLLAPSED = 0.01
"""Part of its peak to which a rate falls in the first half of a run."""
ZERO_RATE, LOST_RATE = 0.9, 0.6
"""Confidence that the schedule is at fault. A planned decay may end early; a rate of nothing is never planned."""


def case_of_curves(roles: Roles) -> Case:
    seen: dict[str, bool] = {}
    for look in (_loss(roles), _nonfinite(roles), _gradients(roles.grad_norm), _validation(roles), _metric(roles)):
        seen |= dict(look)
    steady = roles.lr is not None and len(set(roles.lr.values)) == 1 and len(roles.lr.values) >= FEWEST
    case = Case().given(*(("no-schedule",) if steady else ())).observing(seen)
    return case.claiming(_rate(roles.lr)).hinting(_hints(roles, seen))


def _hints(roles: Roles, seen: dict[str, bool]) -> Iterator[Hint]:
    """What the course tells beyond the single observations."""
    shape = _shape(roles.loss)
    if shape is None:
        return
    if seen.get("loss-falls-then-explodes") and shape.lowest_at > LATE:
        for cause in ("train-no-zero-grad", "data-scale", "train-accumulation"):
            yield Hint(cause, FROM_THE_START, "it would show from the first steps, but the run was fine for long")
        yield Hint("hp-lr-high", POINTED, "the run was fine for long and then explodes")
    if seen.get("loss-oscillates") and shape.turns > ALTERNATES:
        yield Hint("hp-lr-high", 4 * POINTED, "the loss jumps up and down at every step")
    if spikes_again_and_again(roles):
        yield Hint("data-outlier", POINTED, "single batches spike, and everything is fine between them")
    if seen.get("init-loss-far-below-chance"):
        yield Hint("data-leak-target", POINTED, "validation is as good before training as after it")


def _shape(curve: Curve | None, fewest: int = FEWEST) -> Trend | None:
    found = None if curve is None else trend(curve)
    return found if found is not None and found.points >= fewest else None


def _loss(roles: Roles) -> Seen:
    shape = _shape(roles.loss)
    if shape is None or roles.loss is None:
        return
    whole = all(map(math.isfinite, roles.loss.values))
    frozen = shape.distinct == 1
    yield "loss-frozen", frozen
    yield "loss-falls-steadily", whole and shape.lost > FALLS and not _swings(shape)
    yield "loss-flat-from-start", whole and abs(shape.lost) < FLAT and not frozen
    yield "loss-rises-from-start", whole and shape.lost < RISES and shape.quarters[1] >= shape.first
    came_down = shape.lowest < 0.9 * shape.first and shape.lowest_at > 0
    yield "loss-falls-then-explodes", came_down and shape.last > EXPLODES * max(shape.lowest, 0.1 * abs(shape.first))
    even = all(later < earlier for earlier, later in pairwise(shape.quarters))
    yield "loss-falls-slowly", whole and even and FLAT <= shape.lost < SLOW and shape.points >= FEWEST_SLOW
    if whole and _has_no_floor(shape):
        yield "loss-negative", True
    yield from _noise(shape)
    yield from _jumping(roles, shape)
    if abs(shape.lost) < FALLS and whole:
        yield from _plateau(shape)


def _noise(shape: Trend) -> Seen:
    if shape.points < FEWEST_STEPS:
        return
    yield "loss-oscillates", _swings(shape)
    yield "loss-spikes-and-recovers", 0 < shape.spikes <= shape.points // 20 and not _swings(shape)


def spikes_again_and_again(roles: Roles) -> bool:
    """Above the first loss: single spikes are the noise of healthy runs."""
    shape = _shape(roles.loss, FEWEST_STEPS)
    return shape is not None and SPIKES <= shape.highest_spikes <= shape.points // 20 and not _swings(shape)


def _swings(shape: Trend) -> bool:
    """From point to point by more than it has come down."""
    to_and_fro = shape.points >= FEWEST_STEPS and shape.swing > SWINGS and shape.turns > TURNS
    return to_and_fro and shape.lost < max(FALLS, shape.swing)


def _has_no_floor(shape: Trend) -> bool:
    """Below zero, and falling as fast at the end as at the beginning."""
    early, late = shape.quarters[0] - shape.quarters[1], shape.quarters[2] - shape.quarters[3]
    return shape.points >= FEWEST_STEPS and shape.last < 0 and late > UNBOUNDED * early > 0


def _jumping(roles: Roles, shape: Trend) -> Seen:
    """One step undoes much of what was learnt, and from there it falls again. A rate that rises explains it."""
    if roles.loss is None or shape.points < FEWEST_STEPS or shape.swing > SWINGS:
        return
    step = [step for step, value in zip(roles.loss.steps, roles.loss.values, strict=True) if math.isfinite(value)]
    after = roles.loss.values[shape.jump_at]
    yield (
        "loss-jumps-after-resume",
        shape.jump > JUMPS and shape.last < after / JUMPS and not _rate_rises(roles.lr, step[shape.jump_at]),
    )


def _rate_rises(lr: Curve | None, step: int) -> bool:
    near = [value for at, value in zip(lr.steps, lr.values, strict=True) if abs(at - step) <= FEWEST] if lr else []
    return any(later > earlier for earlier, later in pairwise(near))


def _plateau(shape: Trend) -> Seen:
    """Every loss is near the logarithm of some number of classes, so only a curve that rests there counts."""
    level = shape.quarters[3]
    if abs(shape.quarters[2] - level) > AT_LEVEL * abs(level):
        return
    yield "plateau-at-constant-predictor", any(_near(level, math.log(classes)) for classes in CLASSES[:20])
    yield (
        "plateau-at-double-activation-floor",
        shape.lost > FLAT and any(_near(level, floor(classes)) for classes in CLASSES[:20]),
    )


def _near(level: float, known: float) -> bool:
    return abs(level - known) <= AT_LEVEL * known


def _nonfinite(roles: Roles) -> Seen:
    """A gradient norm that is NaN now and then is how mixed precision finds its scale; most of the time it is not."""
    if roles.loss is None:
        return
    bad = next((at for at, value in enumerate(roles.loss.values) if not math.isfinite(value)), None)
    norms = roles.grad_norm.values if roles.grad_norm else ()
    lasting = sum(map(math.isnan, norms)) > MOSTLY / 2 * len(norms) if norms else False
    yield "nonfinite-values", bad is not None or lasting
    if bad is not None:
        yield "nonfinite-at-start", roles.loss.steps[bad] <= 1
        yield "nonfinite-later", bad > 0


def _gradients(norms: Curve | None) -> Seen:
    shape = _shape(norms)
    if shape is None or norms is None:
        return
    finite = [value for value in norms.values if math.isfinite(value)]
    yield "gradients-exactly-zero", finite.count(0.0) > MOSTLY * len(finite)
    yield "gradients-explode", shape.quarters[3] > GRADIENT_EXPLODES * shape.first > 0
    grows = sum(later > earlier for earlier, later in pairwise(finite))
    yield "gradient-norm-grows-every-step", len(finite) >= FEWEST_STEPS and grows > MOSTLY * (len(finite) - 1)
    highest = max(finite)
    yield "clipped-on-every-step", sum(_near(value, highest) for value in finite) > MOSTLY * len(finite) > FEWEST_STEPS


def _validation(roles: Roles) -> Seen:
    train, held_out = _shape(roles.loss), _shape(roles.val_loss)
    if train is None or held_out is None or train.last <= 0:
        return
    learns = train.lost > FALLS
    behind = held_out.last > FALLS_BEHIND * held_out.lowest and held_out.lowest_at < MOSTLY
    yield "gap-grows-late", learns and behind and held_out.lowest < (1 - FLAT) * held_out.first
    yield "validation-far-better-than-training", held_out.last < FAR_BETTER * train.last
    idle = held_out.lowest > (1 - FLAT) * held_out.first
    solved = max(train.first, held_out.first) < SOLVED
    yield "init-loss-far-below-chance", idle and solved
    yield "validation-at-chance-while-training-improves", learns and idle and not solved


def _metric(roles: Roles) -> Seen:
    train, metric = _shape(roles.loss), _shape(roles.val_accuracy or roles.accuracy)
    if train is None or metric is None:
        return
    saturated = metric.first > MOSTLY
    yield "loss-falls-metric-does-not", train.lost > FALLS and metric.last - metric.first < GAINS and not saturated


def _rate(lr: Curve | None) -> Iterator[Claim]:
    shape = _shape(lr)
    if shape is None or lr is None:
        return
    peak = max(value for value in lr.values if math.isfinite(value))
    if peak == 0.0:
        yield Claim("train-schedule", ZERO_RATE, because="the logged learning rate is 0 throughout")
    elif shape.quarters[1] < COLLAPSED * peak and shape.quarters[2] < COLLAPSED * peak:
        yield Claim("train-schedule", LOST_RATE, because="the logged learning rate is almost 0 before half of the run")
