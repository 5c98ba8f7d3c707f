"""A learning-rate range test read: where the loss falls fastest, where it diverges, and which rates stand between.

A ramp is a list of rates and of the losses seen at them. The rules are those that are in use elsewhere: the steepest
point (as Lightning's finder), and the middle of the longest descent (fastai's `valley`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

SMOOTHING = 0.9
"""Of the losses: a weight of the past, corrected for its beginning."""
SKIPPED = 5
"""First points of a ramp, in which a smoothed slope means nothing."""
DIVERGED = 4.0
"""Times the best loss, or what was gained of it, above which a ramp has diverged."""
FLAT = 0.05
"""Share of its first loss that a ramp which learns anything loses."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one ramp says; None where it says nothing."""

    steepest: float | None
    valley: float | None
    least: float | None
    """The rate at which the smoothed loss was lowest."""
    diverged_at: float | None
    gained: float
    """Share of the first loss that was lost on the way."""


def read(rates: Sequence[float], losses: Sequence[float]) -> Reading:
    count = min(len(rates), len(losses))
    smooth = smoothed(losses[:count])
    end = diverges(smooth)
    diverged_at = rates[end] if end is not None else None
    kept = smooth[: count if end is None else end]
    if len(kept) <= SKIPPED + 2:
        return Reading(None, None, None, diverged_at, 0.0)
    least = min(range(len(kept)), key=kept.__getitem__)
    return Reading(
        rates[steepest(kept, rates)],
        rates[middle_of_descent(kept)],
        rates[least],
        diverged_at,
        (kept[0] - kept[least]) / (abs(kept[0]) or 1.0),
    )


def smoothed(losses: Sequence[float], weight: float = SMOOTHING) -> list[float]:
    found: list[float] = []
    mean = 0.0
    for place, loss in enumerate(losses, start=1):
        mean = weight * mean + (1 - weight) * loss
        found.append(mean / (1 - weight**place))
    return found


def diverges(smooth: Sequence[float]) -> int | None:
    """The first place at which the loss is gone; a loss may be negative, so that its distance from its best counts."""
    best = math.inf
    for place, loss in enumerate(smooth):
        if not math.isfinite(loss):
            return place
        best = min(best, loss)
        if loss - best > (DIVERGED - 1) * max(abs(best), abs(smooth[0] - best)):
            return place
    return None


def steepest(smooth: Sequence[float], rates: Sequence[float]) -> int:
    """Where the loss falls most for a step of the rate's logarithm."""

    def slope(place: int) -> float:
        run = math.log(rates[place + 1] / rates[place - 1])
        return (smooth[place + 1] - smooth[place - 1]) / run if run else 0.0

    return min(range(min(SKIPPED, len(smooth) - 2), len(smooth) - 1), key=slope)


def middle_of_descent(smooth: Sequence[float]) -> int:
    """The middle of the longest run of falling losses, in which rises may be left out."""
    longest = [1] * len(smooth)
    before: list[int | None] = [None] * len(smooth)
    for place, loss in enumerate(smooth):
        for earlier in range(place):
            if loss < smooth[earlier] and longest[place] < longest[earlier] + 1:
                longest[place], before[place] = longest[earlier] + 1, earlier
    end = max(range(len(smooth)), key=longest.__getitem__)
    start = end
    while (earlier_one := before[start]) is not None:
        start = earlier_one
    return (start + end) // 2


def middle(rates: Sequence[float | None]) -> float | None:
    """The median of the rates that are known, by their logarithms."""
    known = sorted(math.log(rate) for rate in rates if rate)
    if not known:
        return None
    half = len(known) // 2
    return math.exp(known[half] if len(known) % 2 else (known[half - 1] + known[half]) / 2)
