"""Sums over an evaluation, and what they are divided by: is it the number of what was added up?"""

import math
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.records.averages import Averaged
from firstlight.records.places import Site

Heard = list[tuple[float, int]]
"""A number of each batch, and how many examples it is of."""
SAME = 1e-6
"""Relative; the program adds up the same numbers in the same order."""
MOST_DIVISIONS = 16
FINE, UNEVEN, OFF = "fine", "uneven", "off"
VERDICTS = (FINE, UNEVEN, OFF, "")
"""Of several sums that a number may be, the one is taken that speaks best for the program."""
LEAST_DIVIDED = 2
LEAST_OVERWRITTEN = 3
"""Divisors of what one batch gave; halves of it may be meant."""
ALWAYS_WHOLE = 2**24
"""From here on every float32 is a whole number, be it a count or not."""
LEAST_ODD = 1000
"""A whole number up to this may be something else by chance; so may one without many digits."""


@dataclass
class Phase:
    """What was heard of one model, called by one way."""

    losses: Heard = field(default_factory=list)
    right: Heard = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    """Examples in each that the model was asked about."""
    numbers: dict[Site | None, Heard] = field(default_factory=dict)
    """What a line made of the answers to each batch, whatever it is."""
    taken: dict[Site | None, tuple[int, float]] = field(default_factory=dict)
    """How many numbers a line took out of torch, be they of answers or of targets, and their sum."""
    summed: bool = False
    """Some loss is the sum of those of its examples."""
    model: "weakref.ref[torch.nn.Module] | None" = None


@dataclass(frozen=True)
class _Sum:
    what: str
    of_batches: bool
    total: float
    meant: float
    counts: tuple[int, ...]
    of_last: bool = False
    """Not a sum: what the last batch gave, which takes the place of what the others gave."""
    known: bool = True
    """It is known what was added up; else some number, which may be a mean of anything."""

    def divided(self, by: int) -> str:
        """Nothing where the divisor may be a count of something else, such as unmasked places."""
        batches, examples = len(self.counts), sum(self.counts)
        if not self.known:
            wrong = examples if self.of_last else batches
            many = LEAST_OVERWRITTEN <= batches < examples
            if by == examples and not self.of_last:
                return FINE
            return OFF if by == wrong and many and by not in self.counts else ""
        padded = batches * max(self.counts)
        if self.of_last:
            return OFF if by == (batches if self.of_batches else examples) and by >= LEAST_OVERWRITTEN else ""
        if by == (batches if self.of_batches else examples):
            return UNEVEN if self.of_batches and len(set(self.counts)) > 1 else FINE
        if self.of_batches:
            return OFF if by in (examples, padded) else ""
        return OFF if by > examples or by == batches or self.total > by else ""


@dataclass
class _Divided:
    told: Averaged
    totals: list[float]


class Averages:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._lines: dict[tuple[Site | None, str], _Divided | None] = {}
        """By what is added up; None where that was once seen to be fine."""

    def divided(self, phases: Iterable[Phase], total: Any, count: Any) -> None:
        number, by = number_of(total), number_of(count)
        if number is None or by is None or not number > 0 or not 1 <= by < ALWAYS_WHOLE or by != int(by):
            return
        every = (one for phase in phases for one in sums(phase))
        found = [one for one in every if math.isclose(number, one.total, rel_tol=SAME)]
        if not found:
            return
        one = min(found, key=lambda one: VERDICTS.index(one.divided(int(by))))
        verdict, key = one.divided(int(by)), (sites.caller(), one.what.removeprefix("shares of "))
        if not verdict and not one.known:
            return  # of too few batches to say
        if verdict == FINE or not verdict:
            self._lines[key] = None
        elif self._lines.get(key, True) is not None and (key in self._lines or len(self._lines) < MOST_DIVISIONS):
            self._note(key, one, number, int(by))

    def _note(self, key: tuple[Site | None, str], one: _Sum, number: float, by: int) -> None:
        line = self._lines.get(key)
        totals = [*(line.totals if line is not None else ()), number]
        odd = not number.is_integer() or number > LEAST_ODD
        told = Averaged(
            step=self.observer.step,
            rank=rank(),
            site=key[0],
            what=one.what,
            of_batches=one.of_batches,
            of_last=one.of_last,
            by=by,
            batches=len(one.counts),
            examples=sum(one.counts),
            unequal=len(set(one.counts)) > 1,
            value=number / by,
            meant=one.meant,
            times=len(totals),
            sure=len(set(totals)) >= LEAST_DIVIDED or odd,
        )
        self._lines[key] = _Divided(told, totals)

    def seen(self) -> Iterator[Averaged]:
        yield from (line.told for line in self._lines.values() if line is not None)


def sums(phase: Phase) -> Iterator[_Sum]:
    """All that a program may have added up."""
    yield from _sums_of(phase.right, "right answers", shares=True)
    for percent in (1, 100):
        held = sum(number for number, _ in phase.right)
        counts = tuple(count for _, count in phase.right)
        if held:
            meant, last = percent * held / sum(counts), percent * phase.right[-1][0]
            yield _Sum("right answers", False, percent * held, meant, counts)
            yield _Sum("right answers", False, last, meant, counts, of_last=True)
    for heard in phase.numbers.values():
        yield from _sums_of_any(heard)
    if not phase.summed:
        yield from _sums_of(phase.losses, "losses", shares=False)


def _sums_of(heard: Heard, what: str, shares: bool) -> Iterator[_Sum]:
    """Of one number of each batch; and where these are means, of each weighted by its examples."""
    counts = tuple(count for _, count in heard)
    if not all(counts) or not counts:
        return
    means = [number / count if shares else number for number, count in heard]
    meant = sum(mean * count for mean, count in zip(means, counts, strict=True)) / sum(counts)
    name = f"shares of {what}" if shares else what
    yield _Sum(name, True, sum(means), meant, counts)
    yield _Sum(name, True, means[-1], meant, counts, of_last=True)
    if not shares:
        yield _Sum(what, False, meant * sum(counts), meant, counts)


def _sums_of_any(heard: Heard) -> Iterator[_Sum]:
    """Numbers that are weighted by their examples, and so are means of them; and what the last batch gave.

    Where each is larger than the one before, they may be added up already.
    """
    numbers, counts = [number for number, _ in heard], tuple(count for _, count in heard)
    if len(set(numbers)) < LEAST_DIVIDED or not all(counts):
        return
    weighted = sum(number * count for number, count in heard)
    yield _Sum("scores", False, weighted, weighted / sum(counts), counts, known=False)
    if sorted(numbers, key=abs) != numbers:
        meant = sum(numbers) / sum(counts)
        yield _Sum("scores", False, numbers[-1], meant, counts, of_last=True, known=False)
        yield _Sum("scores", False, numbers[-1] * counts[-1], weighted / sum(counts), counts, of_last=True, known=False)


def number_of(value: Any) -> float | None:
    """Of Python, of numpy or of torch; not an array."""
    if isinstance(value, torch.Tensor) and value.numel() != 1:
        return None
    if getattr(value, "ndim", 0) or isinstance(value, bool):
        return None
    found = float(value)
    return found if math.isfinite(found) else None
