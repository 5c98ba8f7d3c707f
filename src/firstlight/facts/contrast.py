"""Timelines set against the program as it is: the same steps from the same weights, one thing changed. Pure."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from firstlight.records.contrast import Contrast, Level, Pair, Timeline
from firstlight.records.facts import LossSite
from firstlight.records.training import StepSeen

LEAST_STEPS = 20
"""Shorter runs are not compared."""
ENDS = 5
"""Losses at each end whose median is the level there."""
LEAPS = 2.0
"""Times the first loss of all; batches alone do not differ by so much."""
LEARNT = 0.1
"""Share of its first loss lost by a run that has learnt something, be it only how often each answer comes."""
BY_HEART = 0.4
"""The same, for a copy that learns its one batch."""
ALIKE = 0.05
"""Share of the first loss within which two ends count as the same."""


@dataclass(frozen=True, slots=True)
class Fed:
    """How the program feeds its model."""

    by_loader: bool
    calls: int
    """Of models, for one backward."""
    answered: bool = False
    """Its predictions meet answers that are not its own, and one optimizer alone trains it."""
    against: bool = False
    """Several optimizers take turns, each after a loss of its own: one may raise what the other lowers."""
    own: bool = False
    """Its predictions meet nothing but answers that the network made itself, as in a bootstrap: they grow with it."""


def contrast(
    timelines: Sequence[Timeline], loss: LossSite | None, first_step: StepSeen | None, fed: Fed
) -> Contrast | None:
    """None where the program itself ran too short to compare with."""
    timelines = _evened(timelines)
    baseline = next((line for line in timelines if line.name == "baseline"), None)
    if baseline is None or len(baseline.losses) < LEAST_STEPS:
        return None
    shape = loss.prediction.shape if loss is not None else ()
    pairs = tuple(pair for line in timelines if (pair := _pair(baseline, line)) is not None)
    return Contrast(
        pairs=pairs,
        classes=shape[1] if len(shape) > 1 else None,
        loss=loss.function if loss is not None else None,
        loss_site=loss.site if loss is not None else None,
        steps=len(baseline.losses),
        reached=level(baseline.losses),
        supervised=(fed.by_loader or (loss is not None and loss.function in CLASSES))
        and _accounts(loss, level(baseline.losses).first)
        and not (fed.against or fed.own),
        answered=fed.answered,
        by_loader=fed.by_loader,
        compares_rows=fed.calls > 1 or (len(shape) > 1 and shape[0] == shape[1]),
        lr=first_step.lr if first_step is not None else None,
        lr_site=first_step.built if first_step is not None else None,
    )


def _evened(timelines: Sequence[Timeline]) -> Sequence[Timeline]:
    """Copies that are held against each other are as long as each other; one may have had fewer steps in its time."""
    both = [line for line in timelines if line.name in HELD_TOGETHER]
    if len(both) < len(HELD_TOGETHER) or all(line.tail for line in both):
        return timelines
    steps = min(len(line.losses) for line in both)
    return [
        msgspec.structs.replace(line, losses=line.losses[:steps], tail=0) if line.name in HELD_TOGETHER else line
        for line in timelines
    ]


HELD_TOGETHER = ("regularised", "unregularised")
CLASSES = ("cross_entropy", "nll_loss")


def _accounts(loss: LossSite | None, first: float) -> bool:
    """The known loss is most of what backward is called on."""
    if loss is None or loss.first_value is None or loss.first_value <= 0 or first <= 0:
        return False
    return LEAST_PART <= loss.first_value / first <= 1 / LEAST_PART


LEAST_PART = 0.5


def _pair(baseline: Timeline, other: Timeline) -> Pair | None:
    steps = min(len(baseline.losses), len(other.losses))
    if other is baseline or (steps < LEAST_STEPS and not _broke(other.losses)):
        return None
    if other.name == FLIPPED:
        if min(other.losses) <= 0 or lost(level(other.losses)) < LEAST_SHARE:
            return None
        baseline = msgspec.structs.replace(baseline, losses=tuple(-value for value in baseline.losses))
    base = level(baseline.losses[:steps])
    other = _in_unit_of(baseline, other) if base.finite else other
    changed = level(other.losses[:steps] if not other.tail else other.losses, other.tail)
    pair = Pair(name=other.name, steps=steps, base=base, other=changed, paired=other.paired)
    return msgspec.structs.replace(pair, cured=cures(pair), below=_below(baseline, other, steps))


def _below(base: Timeline, other: Timeline, steps: int) -> float:
    if not other.paired:
        return 0.0
    late = list(zip(base.losses[:steps], other.losses[:steps], strict=True))[steps // 2 :]
    return sum(b < a for a, b in late) / len(late) if late else 0.0


FLIPPED = "sign-flipped"
"""Minimises the negative: told as that, and only where it falls above zero, as losses do. The negative of a loss falls
without end, and says nothing."""
RESCALED = frozenset({"targets-standardised", "mean-reduction"})
"""Timelines that measure their loss in another unit: told in the program's own, by the first loss of both."""


def _in_unit_of(baseline: Timeline, other: Timeline) -> Timeline:
    if other.name not in RESCALED or not other.losses or not other.losses[0]:
        return other
    factor = baseline.losses[0] / other.losses[0]
    return msgspec.structs.replace(other, losses=tuple(value * factor for value in other.losses))


def _broke(losses: Sequence[float]) -> bool:
    return any(not math.isfinite(value) for value in losses)


def level(losses: Sequence[float], tail: int = 0) -> Level:
    """Where a run began and ended, with the noise of its end. The end is a mean: a run that spikes is not calm."""
    finite = all(math.isfinite(value) for value in losses)
    known = [value for value in losses if math.isfinite(value)] or [math.inf]
    last = known[-(tail or max(ENDS, len(known) // 10)) :]
    middle = statistics.median(last)
    return Level(
        first=beginning(known),
        last=sum(last) / len(last) if finite else math.inf,
        noise=statistics.median(abs(value - middle) for value in last) if finite else 0.0,
        finite=finite,
    )


def beginning(losses: Sequence[float]) -> float:
    """The level of the first losses; a run that leaps up with its first steps began before the leap."""
    began = statistics.median(losses[:ENDS])
    return losses[0] if began > LEAPS * losses[0] > 0 else began


def improves(pair: Pair) -> bool:
    """The rule by which a repair counts as proven: clearly below the program as it is, noise of both considered.

    Runs that did not begin alike must differ by more, and by more than they did at their beginnings.
    """
    if not pair.other.finite:
        return False
    if not pair.base.finite:
        return pair.paired and pair.other.last < pair.other.first
    difference = pair.base.last - pair.other.last
    noise = NOISES * (pair.base.noise + pair.other.noise)
    if pair.paired:
        return difference > max(noise, LEAST_SHARE * abs(pair.base.last))
    apart = abs(pair.base.first - pair.other.first)
    return apart <= MOST_APART * abs(pair.base.first) and difference > max(
        UNPAIRED * noise, UNPAIRED * LEAST_SHARE * abs(pair.base.last), UNPAIRED * apart
    )


def cures(pair: Pair) -> bool:
    """The rule by which a suspicion counts as proven: it improves, and the program itself got less than half as far.

    Both are measured from the lower of the two starts. A program that learns well anyway is not cured by learning
    faster.
    """
    if not improves(pair) or not pair.base.finite:
        return improves(pair)
    start = min(pair.base.first, pair.other.first)
    return start - pair.base.last < CURED * (start - pair.other.last)


def behind(base: Level, other: Level, guess: float | None) -> float:
    """How much of what a copy gained the program did not, as a share; 0 where that is not clear.

    What counts is gained beyond the loss of one answer for all inputs, where that is known. It must be well above the
    noise of both, and no small part of all that the copy gained since its start either.
    """
    start = min(base.first, other.first)
    if not (base.finite and other.finite and start > other.last):
        return 0.0
    apart = base.last - other.last
    if not apart > max(NOISES * (base.noise + other.noise), LEAST_APART * (start - other.last)):
        return 0.0
    return (
        apart / (min(start, guess) - other.last)
        if guess is not None and guess > other.last
        else apart / (start - other.last)
    )


LEAST_APART = 0.1
"""Share of all that a copy gained, by which it must be ahead at the least."""


def lost(level: Level) -> float:
    """Share of its first loss that a run has lost."""
    return (level.first - level.last) / abs(level.first) if level.finite and level.first else -math.inf


NOISES = 2.0
"""Median deviations of both ends that the difference must exceed."""
LEAST_SHARE = 0.2
"""Share of the program's own last loss by which the repaired one must be lower."""
CURED = 0.5
"""Loss lost by the program over that lost by the copy, below which the copy counts as cured."""
UNPAIRED = 2.5
"""Times as much must be shown by runs that did not begin alike: half of the loss, five deviations."""
MOST_APART = 0.25
"""Share of the first loss beyond which such runs began too far apart to be compared."""
