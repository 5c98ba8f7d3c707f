"""Short real trainings at several rates, compared: they saw the same batches, so that what differs is the rate."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

TAIL = 5
"""The last part of the steps, one in so many, is compared."""
LEAST = 3
NOISE = 2.0
"""Standard errors between two tails that are noise."""
SHARE = 0.05
"""Of what the best rate gained: another that is as near is as good."""
SHORTER = 4
"""The longest training, taken as many times less, is the shortest it is compared with."""
WIDE = 8.0
"""Times the lowest rate as good as the best that the highest may be, for the lowest loss to mean a place between."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A rate and what a training at it came to."""

    rate: float
    losses: tuple[float, ...]

    @property
    def tail(self) -> tuple[float, ...]:
        return self.losses[-max(LEAST, len(self.losses) // TAIL) :]

    @property
    def end(self) -> float:
        """Mean of the last losses; infinite where one of them is no number."""
        return fmean(self.tail) if self.tail and all(map(math.isfinite, self.tail)) else math.inf


@dataclass(frozen=True, slots=True)
class Ladder:
    rungs: tuple[Rung, ...]
    """The lowest rate first."""

    @property
    def best(self) -> Rung | None:
        alive = [rung for rung in self.rungs if math.isfinite(rung.end)]
        return min(alive, key=lambda rung: rung.end) if alive else None

    @property
    def learns(self) -> bool:
        """The best rate gains something that is more than the noise of its end."""
        best = self.best
        return best is not None and _gained(best) > NOISE * _error(best.tail)

    def as_good(self, rung: Rung) -> bool:
        """Within noise of the best, or within a small share of what the best gained."""
        best = self.best
        return best is not None and math.isfinite(rung.end) and rung.end - best.end <= _tolerance(rung, best)

    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest rate around the best that are as good, without a gap between."""
        best = self.best
        if best is None:
            return None
        at = self.rungs.index(best)
        low = high = at
        while low > 0 and self.as_good(self.rungs[low - 1]):
            low -= 1
        while high + 1 < len(self.rungs) and self.as_good(self.rungs[high + 1]):
            high += 1
        return self.rungs[low].rate, self.rungs[high].rate

    def suggested(self) -> float | None:
        """The lowest point of a parabola through the best rung and its neighbours, over the rate's logarithm.

        Where rates over a decade are as good, it is chance which of them is lowest, and their middle is farthest from
        either edge.
        """
        best, ends = self.best, self.range()
        if best is None or ends is None:
            return None
        if ends[1] > WIDE * ends[0]:
            return math.sqrt(ends[0] * ends[1])
        at = self.rungs.index(best)
        near = self.rungs[max(0, at - 1) : at + 2]
        if len(near) < 3 or not all(math.isfinite(rung.end) for rung in near):
            return best.rate
        below, above = (math.log(rung.rate / best.rate) for rung in (near[0], near[2]))
        rise, fall = near[0].end - best.end, near[2].end - best.end
        curve = rise * above - fall * below
        shift = 0.5 * (rise * above**2 - fall * below**2) / curve if curve else 0.0
        return best.rate * math.exp(min(above / 2, max(below / 2, shift)))


def ladder(tried: Mapping[float, Sequence[float]], out_of_time: Collection[float] = ()) -> Ladder:
    """Compared over as many steps as all made, but for those that ended long before the others.

    Where we ended it because its time was over, a much shorter training says nothing and is left out; where it ended by
    itself, its rate is lost.
    """
    longest = max((len(losses) for losses in tried.values()), default=0)
    told = {
        rate: losses for rate, losses in tried.items() if rate not in out_of_time or len(losses) >= longest / SHORTER
    }
    steps = min(
        (len(losses) for rate, losses in told.items() if rate in out_of_time or len(losses) > longest / 2), default=0
    )
    return Ladder(tuple(Rung(rate, _over(told[rate], steps)) for rate in sorted(told)))


def _over(losses: Sequence[float], steps: int) -> tuple[float, ...]:
    return tuple(losses[:steps]) if len(losses) >= steps else (*losses, *[math.inf] * (steps - len(losses)))


def _gained(rung: Rung) -> float:
    """From the first losses, of which there may be one, to the last."""
    first = fmean(rung.losses[: max(1, len(rung.losses) // (4 * TAIL))])
    return first - rung.end


def _tolerance(rung: Rung, best: Rung) -> float:
    """A training that is noisier than the best is not as good for that: no more than the noise of the best counts."""
    differences = [one - other for one, other in zip(rung.tail, best.tail, strict=False)]
    noise = min(_error(differences), math.sqrt(2) * _error(best.tail))
    return max(NOISE * noise, SHARE * max(0.0, _gained(best)))


def _error(values: Sequence[float]) -> float:
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
