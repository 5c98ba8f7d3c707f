"""What the program itself tells while it runs: evaluations, scores, the terms of its loss."""

import math

from firstlight.records.live.fact import LiveFact


class EvalTrack(LiveFact, frozen=True, kw_only=True):
    """Evaluations the program told of, beside the training loss at that time."""

    name: str
    values: tuple[float, ...]
    train: tuple[float, ...]
    lately: tuple[float, ...] = ()
    """The same over the very last steps: while a loss falls fast, its level lags behind."""


class ScoreTrack(LiveFact, frozen=True, kw_only=True):
    """A score and a loss that the program told of at the same evaluations."""

    name: str
    values: tuple[float, ...]
    loss: str
    """The name of the loss."""
    losses: tuple[float, ...]
    improving: float
    """Rank correlation of the evaluations' order with falling losses: 1 where each is lower than the one before."""
    agreement: float
    """Rank correlation of better scores with lower losses."""
    train: float = math.nan
    """Level of the training loss by now."""
    mixture: tuple[float, ...] = ()
    """Share of each class among the labels of training; empty where they are not known."""


class TermTrack(LiveFact, frozen=True, kw_only=True):
    """The terms of a loss, as the program told them."""

    steps: int
    """At which all of them were told."""
    terms: dict[str, float]
    """The size of each: a median over the last of them."""
