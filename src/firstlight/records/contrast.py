"""Runs of a program with one thing changed, against the program as it is."""

import math

import msgspec

from firstlight.records.facts import ClipOrder, Ranked
from firstlight.records.places import Site

LOWER_RATES = {"lr-tenth": 10, "lr-hundredth": 100, "lr-thousandth": 1_000, "lr-millionth": 1_000_000}
HIGHER_RATES = {"lr-tenfold": 10, "lr-hundredfold": 100, "lr-thousandfold": 1_000, "lr-millionfold": 1_000_000}
"""The two ladders of learning rates, nearest rung first: by what the rate is divided or multiplied."""
WHOLE = "whole"
WHOLE_LOWER = {"whole-tenth": 10}
WHOLE_HIGHER = {"whole-tenfold": 10, "whole-hundredfold": 100}
"""Copies that go on to the end of the program: as it is, and at other rates."""
BLIND = "permuted-targets"
"""The copy whose inputs are put out of order anew at each step: it can learn how often each answer comes, no more."""
MISMATCHED = "mismatched"
"""The copy whose examples have the inputs of others, for good: it can learn them by heart, and nothing else."""
UNMOVED = "unmoved"
"""The copy whose rate is zero: the loss of the same batches where nothing is learnt."""
AS_LONG = 0.9
"""Of the steps of another copy, from which on the two can be held against each other."""
BY_HEART_COPIES = ("one-batch", "one-batch-tenfold", "one-batch-hundredfold")
"""Given the first batch again and again, at the rate of the program and at higher ones."""


class Timeline(Ranked, frozen=True, kw_only=True):
    """The losses of one run of the script from its first batch on, with one thing changed; `baseline` with none."""

    name: str
    interventions: tuple[str, ...]
    losses: tuple[float, ...]
    seconds: float
    tail: int = 0
    """So many of the last losses were measured in eval mode."""
    paired: bool = True
    """It began with the weights, batch and random state the program began with."""


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run of losses began and ended (medians), with the noise of its end (median deviation)."""

    first: float
    last: float
    noise: float
    finite: bool


class TermTried(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of the other terms of the loss without one of them, and with it, over the same steps."""

    site: Site | None
    """The line on which it joins the others."""
    aside: bool
    """It is known not to be the task itself."""
    steps: int
    without: Level
    beside: Level
    noise: float = math.inf
    """Of what the two differ by at their ends, batch by batch."""
    averaged: float = 1.0
    """Over how many times as many numbers the other one is averaged, where this one is a sum; else 1."""
    guess: float | None = None
    """What is had of the others without looking at the inputs, where there is one other and that is known."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A timeline against the program as it is, over the same number of steps."""

    name: str
    steps: int
    base: Level
    other: Level
    below: float = 0.0
    """Share of the later half of the steps at which the copy had the lower loss; both saw the same batches."""
    cured: bool = False
    """The program learns with the change and hardly without it (`facts/contrast.py` has the rule)."""
    paired: bool = True
    """Both began alike: what differs at their ends was made by what was changed, and by nothing else."""


class ScoreTold(msgspec.Struct, frozen=True, kw_only=True):
    """A number that the program prints, where its name tells which way it improves: the last ones of two runs."""

    name: str
    was: float
    """Of the program as it is."""
    now: float
    better: bool


class WholeRun(msgspec.Struct, frozen=True, kw_only=True):
    """A copy that came to the end of the program, against one that did so with nothing changed."""

    name: str
    steps: int
    base: Level
    other: Level
    ahead: float
    """Share of what it gained that the program did not, by its own end (`facts/contrast.py` has the rule)."""
    told: tuple[ScoreTold, ...] = ()

    def is_of_use(self, share: float) -> bool:
        """By what the program prints of itself: no number is worse by so much, and of scores one is better by so much.
        Losses alone go on falling while predictions that are right already become surer."""
        if any(not one.better and not abs(one.now - one.was) <= share * abs(one.was) for one in self.told):
            return False
        scores = [one for one in self.told if "loss" not in one.name.lower()]
        return not scores or any(one.better and abs(one.now - one.was) > share * abs(one.was) for one in scores)

    def says(self) -> str:
        """The number that changed most to the better, in words; "" where there is none."""
        better = [one for one in self.told if one.better]
        most = max(better, key=lambda one: abs(one.now - one.was) / (abs(one.was) or 1.0), default=None)
        return "" if most is None else f", and its own `{most.name}` is {most.now:.4g} instead of {most.was:.4g}"


class Contrast(Ranked, frozen=True, kw_only=True):
    """All timelines of a program against it."""

    pairs: tuple[Pair, ...]
    classes: int | None
    """Of the loss the program trains with, where it has them."""
    loss: str | None
    steps: int
    reached: Level | None = None
    """Of the program itself, in all its steps: it may have gone on for longer than its copies."""
    supervised: bool = False
    """The loss it minimises is essentially one of torch's own, and a loader feeds it or its targets are classes: it is
    meant to fall."""
    answered: bool = False
    """Whatever its loss, predictions meet answers in it that are not the network's own doing, and one optimizer alone
    minimises it: it is meant to fall, too."""
    by_loader: bool = False
    """A DataLoader feeds it, so that a copy can be given the very same batch again."""
    compares_rows: bool = False
    """The model is called several times a step, or the scores are a matrix of the batch with itself: rows put out of
    order keep their partners."""
    certified: bool = False
    """The program itself was seen to learn which answer belongs to which input, be it later than its copies ran."""
    stands_still: bool = False
    """It was seen for long enough, and showed no sign of learning."""
    examples: int | None = None
    """Different ones that it was seen to train on; None where they were not told apart."""
    foretold: float = 0.0
    """Deviations from luck at which a plain fit foretells the answers that the examples meet."""
    lr: float | None = None
    lr_site: Site | None = None
    loss_site: Site | None = None
    terms: tuple[TermTried, ...] = ()
    """Of a loss that is a sum, each that was tried."""
    clip: ClipOrder | None = None
    """The clipping of the program, where it clips on one line."""
    guess: float | None = None
    """The loss of the best answer that is the same for all inputs, where that is known."""
    whole: tuple[WholeRun, ...] = ()
    accumulated: float = 1.0
    """Backwards for each step of the optimizer; timelines count the former."""

    @property
    def meant_to_fall(self) -> bool:
        return self.supervised or self.answered

    def of(self, name: str) -> Pair | None:
        return next((pair for pair in self.pairs if pair.name == name), None)

    def by_heart(self, least: float) -> float | None:
        """Of what the program gained on the copy that can learn nothing, the share that the copy gained which can learn
        by heart and nothing else; None where they were not asked, or it gained less than a share of its first loss, or
        had fewer steps for the one than for the other: what the blind copy is yet to learn is not learnt by heart."""
        blind, pair = self.of(BLIND), self.of(MISMATCHED)
        if blind is not None and pair is not None and not blind.steps >= AS_LONG * pair.steps:
            return None
        if blind is None or pair is None or not (blind.other.finite and pair.base.finite and pair.other.finite):
            return None
        gained, enough = blind.other.last - pair.base.last, least * abs(pair.base.first)
        if gained <= enough:
            return None
        return (blind.other.last - pair.other.last) / gained if gained > enough else math.nan

    def updates(self, pair: Pair) -> float:
        """Steps of the optimizer: with many backwards for each, a program that has hardly begun has many losses."""
        return pair.steps / self.accumulated

    def gets_there(self, start: float, enough: float) -> bool:
        """The program lost so much itself, later than its copies ran: leaving a plateau first is no merit."""
        return self.reached is not None and self.reached.finite and not start - self.reached.last <= enough

    def at_end(self, name: str) -> WholeRun | None:
        return next((run for run in self.whole if run.name == name), None)
