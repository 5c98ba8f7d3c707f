"""The data itself: its labels, what simple answers score on it, and whether its parts follow one another in time."""

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


class ColumnAhead(msgspec.Struct, frozen=True, kw_only=True):
    """A feature whose earlier values change when later rows are taken away."""

    name: str
    changed: int
    """Rows with another value."""
    of: int
    """Rows that are left."""
    farthest: int
    """From the cut back to the first of them, in rows."""


class FeaturesAhead(DeclaredFact, frozen=True, kw_only=True, tag="features-ahead"):
    """The features of the first rows of a table in order of time, computed from these alone and from all."""

    time: str
    """What tells the order."""
    rows: int
    cut: int
    """Rows that are left."""
    columns: tuple[ColumnAhead, ...]
    """Those that change, wherever the table is cut."""
    site: Site | None = None


class Batching(msgspec.Struct, frozen=True, kw_only=True):
    """How classes are spread over the training batches that are not tiny."""

    batches: int = 0
    single: int = 0
    """That hold a single class."""
    kinds: int = 0
    """Different classes among those."""
    up: int = 0
    """Of those in a row, to a higher class, and below, to a lower one."""
    down: int = 0


class LabelsSeen(DeclaredFact, frozen=True, kw_only=True, tag="labels-seen"):
    """The class labels of both splits, read for a while."""

    train: int
    """Examples read, and so below."""
    val: int
    classes: int
    """Of the training examples."""
    whole: bool
    """All training examples were read."""
    unseen: tuple[int, ...]
    """Classes of validation examples that no training example has; the first few."""
    unseen_classes: int
    unseen_examples: int
    repeated: int
    """Training examples whose inputs another one has too, value by value."""
    conflicting: int
    """Of those, in a group with more than one label."""
    pair: tuple[int, ...]
    """Two labels of the same inputs."""
    room: float
    """Bits by which inputs can differ; below some dozens they coincide by chance."""
    batching: Batching = Batching()
    site: Site | None = None


class LagSeen(DeclaredFact, frozen=True, kw_only=True, tag="lag-seen"):
    """The target of a sequence, found again in the input at an offset: 1 is the next place."""

    length: int
    """Of the input, and below, of the target."""
    places: int
    offset: int | None
    """None where the target is no piece of the input."""
    whole_numbers: bool
    """Ids, else values."""
    aligned: bool = False
    """A target for each place of the input, else a window of its own."""
    feature: int = 0
    causal: bool | None = None
    """Whether the model sees nothing later than the place it answers for; asked only where it matters."""
    site: Site | None = None


class CacheTried(DeclaredFact, frozen=True, kw_only=True, tag="cache-tried"):
    """Examples of the training set beside the same ones made anew from their raw data."""

    examples: int
    differing: int
    first: int | None
    """Index of the first that differs."""
    told: str
    """How it differs."""
    site: Site | None = None


class Vocabulary(DeclaredFact, frozen=True, kw_only=True, tag="vocabulary"):
    """The declared tokenizer beside the table of the model and the ids of real batches."""

    size: int
    """Ids the tokenizer can give, those of added tokens among them."""
    table: str
    rows: int
    """Of that table."""
    highest: int
    """Of the ids seen."""
    ids: int
    sequences: int
    doubled: int
    """Of the sequences, beginning with two marks of a beginning."""
    site: Site | None = None
