"""Arithmetic of a score: shares with intervals, and how far stated probabilities can be trusted."""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

RESAMPLES = 2000
COVERED = 0.95
EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Bins of stated probability; finer where more is claimed."""
CERTAIN = 0.9


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many, with the interval of a bootstrap over programs."""

    hits: int
    total: int
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.hits / self.total if self.total else 0.0


def share(outcomes: Iterable[tuple[str, bool]]) -> Share:
    """Of pairs of a program and whether it was a hit. Mutants of one program are alike, so programs are resampled."""
    by_program: dict[str, list[bool]] = defaultdict(list)
    for program, hit in outcomes:
        by_program[program].append(hit)
    rows = [(sum(hits), len(hits)) for _, hits in sorted(by_program.items())]
    low, high = _interval(rows)
    return Share(sum(hits for hits, _ in rows), sum(total for _, total in rows), low, high)


def _interval(rows: Sequence[tuple[int, int]]) -> tuple[float, float]:
    if not rows:
        return 0.0, 1.0
    draws = random.Random(0)
    means = sorted(_mean(draws.choices(rows, k=len(rows))) for _ in range(RESAMPLES))
    cut = round((1 - COVERED) / 2 * RESAMPLES)
    return means[cut], means[-1 - cut]


def _mean(rows: Sequence[tuple[int, int]]) -> float:
    return sum(hits for hits, _ in rows) / sum(total for _, total in rows)


@dataclass(frozen=True, slots=True)
class Bin:
    """Claims whose stated probability lies between two edges."""

    low: float
    high: float
    claims: int
    stated: float
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    bins: tuple[Bin, ...]
    error: float
    """The expected calibration error: the distance between stated and true, weighted by the claims in a bin."""
    by_chance: float
    """The error that as many claims would show on average if each were as often right as it says: few scatter."""
    certain: int
    """Claims with at least 90 %."""
    certain_right: int


def calibration(claims: Sequence[tuple[float, bool]]) -> Calibration:
    """Of pairs of a stated probability and whether the claim was right."""
    bins = _bins(claims)
    certain = [right for stated, right in claims if stated >= CERTAIN]
    return Calibration(bins, _error(bins), _error_by_chance(claims), len(certain), sum(certain))


def _bins(claims: Sequence[tuple[float, bool]]) -> tuple[Bin, ...]:
    return tuple(made for low, high in pairwise(EDGES) if (made := _bin(low, high, claims)))


def _error(bins: Sequence[Bin]) -> float:
    total = sum(one.claims for one in bins)
    return sum(one.claims * abs(one.stated - one.right) for one in bins) / total if total else 0.0


def _error_by_chance(claims: Sequence[tuple[float, bool]]) -> float:
    draws = random.Random(0)
    drawn = ([(stated, draws.random() < stated) for stated, _ in claims] for _ in range(RESAMPLES))
    return fmean(_error(_bins(one)) for one in drawn) if claims else 0.0


def _bin(low: float, high: float, claims: Sequence[tuple[float, bool]]) -> Bin | None:
    """The upper edge belongs to the next bin, but 1 to the last one."""
    inside = [(stated, right) for stated, right in claims if low <= stated < high or stated == high == EDGES[-1]]
    if not inside:
        return None
    return Bin(low, high, len(inside), fmean(p for p, _ in inside), fmean(right for _, right in inside))
