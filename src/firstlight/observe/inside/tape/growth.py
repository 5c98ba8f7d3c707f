"""Whether the gap between permuted and true answers grows, from the steps measured so far. Pure.

While nothing is learnt the answers of a batch are exchangeable for the network, however it began: the gap, in units of
its own spread over permutations, goes up and down around one value. Learning lifts it. The interval is wide enough to
be looked at again and again as steps come in.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.records.learning import Gone

# Two tests side by side: the means of the gap, which see a strong effect within a few steps, and the ranks of its
# values, which see through rare examples that drown all others.
LOOKS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Numbers of steps at which it is asked whether the gap has grown."""
DEVIATIONS = 4.0
"""Half-width of the interval: over all looks and both tests together it errs about once in a thousand programs."""
HINT = 2.0
"""Deviations from which on growth is likely, though not certain."""
ALONE = 5.0
"""The same where the first step stands alone, whose own spread is not known."""
SETTLED = 16
"""Late steps whose own spread is well known."""
FEW, MOST_EARLY = 5, 10
BY_CHANCE = 0.1
"""Share of the loss by which untrained predictions may happen to follow the answers; usually a few hundredths."""
LAST_DIGIT = 1e-6
"""Of the loss, in single precision: permuted answers that change it by less change nothing."""
LEVEL_STEPS = 5
LEAPS = 2.0
"""Times the first loss of all; batches alone do not differ by so much."""
LEAST_HALVED, NOT_YET, NEARLY_ALL = 32, 0.75, 0.9
LOWEST = GONE_LOOKS = 8
"""Looks over which the loss is lowest; and the last ones, at least, at which the gap must be gone."""
LEFT, LEFT_OF_ANY = 0.1, 0.3
"""Of the gap where the loss was lowest: less than that is nothing, on average and at any of those looks."""
HALF = 0.5
"""Of what permuted answers come to on the same batch: a loss below that knows whose answer is whose, and far better
than untrained predictions may."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One backward: the loss with the true answers, and with the answers of the batch permuted."""

    loss: float
    permuted: float
    """The mean over permutations."""
    spread: float
    """Their standard deviation."""
    fresh: bool
    """Most of its examples had not been trained on."""
    step: int = 0


@dataclass(frozen=True, slots=True)
class Growth:
    """The gap of late steps less that of the first ones, in units of the spread over permutations."""

    low: float
    high: float
    ranks: float
    """How many deviations more often than by chance a late gap lies above an early one."""
    early: float
    """The gap of the first steps, and below, how far chance alone would take it."""
    chance: float
    gap_first: float
    """The same gaps in units of the loss."""
    gap_last: float
    level_first: float
    """The loss of the first steps with permuted answers."""
    halved: bool = False
    """Later on the loss is less than half of what permuted answers come to, and at first it was not nearly so low.
    In units of the spread the gap need not grow with it: untrained predictions that differ little have next to none,
    and two examples can only be exchanged or left as they are, which is one deviation at most."""
    there: bool = False
    """The late gap itself is beyond chance, and no small part of the loss: whether it grew or not, it is there."""

    @property
    def certain(self) -> bool:
        return self.low > 0 or self.ranks > DEVIATIONS or self.halved

    @property
    def likely(self) -> bool:
        middle = (self.low + self.high) / 2
        return middle * DEVIATIONS > HINT * (self.high - middle) or self.ranks > HINT

    @property
    def related(self) -> bool:
        """The first predictions already follow the answers, and by more than random weights may."""
        return self.early > self.chance and self.gap_first > BY_CHANCE * abs(self.level_first)


def growth(steps: Sequence[Measured]) -> Growth | None:
    """None with too few steps to have both an early and a late part."""
    count = len(steps)
    if count < LOOKS[0]:
        return None
    return max((_against(steps, first) for first in {1, 2, min(MOST_EARLY, max(2, count // 5))}), key=_clarity)


def _clarity(found: Growth) -> tuple[bool, float]:
    return found.certain, -math.inf if math.isnan(found.low) else found.low


def _against(steps: Sequence[Measured], first: int) -> Growth:
    """The later half against so many first steps: one or two where learning is quick, more where it is slow."""
    scores = [_score(step) for step in steps]
    last = len(steps) // 2
    early, late = scores[:first], scores[-last:]
    spread = max(1.0, _spread(early, late)) if all(map(math.isfinite, scores)) else math.nan
    width = (DEVIATIONS if first > 1 else ALONE) * spread * math.sqrt(1 / first + 1 / last)
    if first == 1 and last >= SETTLED and not _tells_apart(steps[0]):
        width = DEVIATIONS * spread / math.sqrt(last)  # there is no chance in where it began
    grown = _mean(late) - _mean(early)
    gaps = [step.permuted - step.loss for step in steps]
    return Growth(
        low=grown - width,
        high=grown + width,
        ranks=_ranks(early, late),
        early=_mean(early),
        chance=DEVIATIONS * spread / math.sqrt(first),
        gap_first=_mean(gaps[:first]),
        gap_last=_mean(gaps[-last:]),
        level_first=_mean([step.permuted for step in steps[:first]]),
        halved=_halved(steps),
        there=_mean(late) * math.sqrt(last) > DEVIATIONS * spread
        and _mean(gaps[-last:]) > BY_CHANCE * abs(_mean([step.permuted for step in steps[-last:]])),
    )


def _halved(steps: Sequence[Measured]) -> bool:
    """Nearly all late losses, and none of the first: a few odd batches decide nothing."""
    if len(steps) < LEAST_HALVED:
        return False
    late = steps[-len(steps) // 4 :]
    began_above = all(step.loss > NOT_YET * step.permuted for step in steps[:LEVEL_STEPS])
    return began_above and sum(0 <= step.loss < HALF * step.permuted for step in late) >= NEARLY_ALL * len(late)


def began(losses: Sequence[float]) -> float:
    """The level of the first losses; a run that leaps up with its first steps began before the leap."""
    level = _mean(losses)
    return losses[0] if level > LEAPS * losses[0] > 0 else level


def lowest_level(steps: Sequence[Measured]) -> float:
    """The lowest that the permuted loss came to over a few steps: what is had without knowing which answer is whose."""
    levels = [step.permuted for step in steps]
    width = min(LEVEL_STEPS, len(levels))
    return min(_mean(levels[at : at + width]) for at in range(len(levels) - width + 1))


def gone(before: Sequence[Measured], recalled: Sequence[Measured]) -> Gone | None:
    """None where the last looks still show some of the gap that there was when the loss was lowest."""
    steps = [*before, *recalled]
    gaps, losses = [step.permuted - step.loss for step in steps], [step.loss for step in steps]
    if len(recalled) < GONE_LOOKS or not all(map(math.isfinite, gaps)):
        return None
    low = min(range(len(steps) - LOWEST + 1), key=lambda at: _mean(losses[at : at + LOWEST]))
    best, left = _mean(gaps[low : low + LOWEST]), len(steps)
    while left > low + LOWEST and gaps[left - 1] <= LEFT_OF_ANY * best:
        left -= 1
    if not best > 0 or len(steps) - left < GONE_LOOKS or not _mean(gaps[left:]) <= LEFT * best:
        return None
    return Gone(
        best_at=steps[low + LOWEST - 1].step,
        best=best,
        best_loss=_mean(losses[low : low + LOWEST]),
        since=steps[left].step,
        gap=statistics.median(gaps[left:]),
        loss=statistics.median(losses[left:]),
    )


def _score(step: Measured) -> float:
    gap = step.permuted - step.loss
    if not _tells_apart(step):
        return 0.0 if abs(gap) <= LAST_DIGIT * abs(step.permuted) else math.nan
    return gap / step.spread


def _tells_apart(step: Measured) -> bool:
    """Else all examples are given the same prediction, as by a last layer that begins at zero."""
    return not step.spread <= LAST_DIGIT * abs(step.permuted)


def _ranks(early: list[float], late: list[float]) -> float:
    """The statistic of Mann and Whitney, less its mean and over its deviation; ties count half."""
    above = sum((after > before) + 0.5 * (after == before) for before in early for after in late)
    pairs = len(early) * len(late)
    return (above - pairs / 2) / math.sqrt(pairs * (len(early) + len(late) + 1) / 12)


def _spread(early: list[float], late: list[float]) -> float:
    """Within both parts together; an odd value among a few first steps must not pass for their level, so the larger."""
    squares = [sum((value - _mean(part)) ** 2 for value in part) for part in (early, late)]
    if len(early) < FEW:
        return max(math.sqrt(squares[0] / max(1, len(early) - 1)), math.sqrt(squares[1] / (len(late) - 1)))
    return math.sqrt(sum(squares) / (len(early) + len(late) - 2))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
