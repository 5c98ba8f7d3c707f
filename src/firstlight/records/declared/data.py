"""The data itself: what simple answers score on it, and whether its parts follow one another in time."""

import msgspec

from firstlight.records.declared.fact import DeclaredFact
from firstlight.records.places import Site


class Score(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """`majority class`, `mean`, `last value`, `linear model`."""
    error: float


class Baselines(DeclaredFact, frozen=True, kw_only=True, tag="baselines"):
    """The model after a quick training beside simple answers fitted to the same examples, scored on new ones."""

    measure: str
    """`share of wrong classes` or `mean squared error`."""
    trained: int
    """Examples fitted to, and below, examples scored on."""
    scored: int
    steps: int
    epochs: float
    model_error: float
    model_train_error: float
    """The same model on the examples it was fitted to."""
    noise: float
    """Standard error of the difference between two such scores."""
    scores: tuple[Score, ...]
    site: Site | None = None


class TimeOrder(DeclaredFact, frozen=True, kw_only=True, tag="time-order"):
    """The times of the training rows against those of the validation rows."""

    column: str
    train_rows: int
    val_rows: int
    train_first: str
    train_last: str
    val_first: str
    val_last: str
    before_last: float
    """Share of validation rows that are not later than the last training row."""
    interleaved: float
    """Share of the rows, in order of time, whose neighbour is of the other part; a random split has about 2pq."""
