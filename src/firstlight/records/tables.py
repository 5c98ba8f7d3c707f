"""What was seen in tables of examples, by `firstlight data` and `fl.check_data`: facts without arrays."""

import msgspec

from firstlight.records.doubts import Doubts
from firstlight.records.places import Where


class ColumnSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One column, over every row of its table."""

    name: str
    kind: str
    """`number`, `whole`, `flag`, `text`, `time` or `other`."""
    role: str = "input"
    """`input`, `target`, `group`, `time`, or `about` for what describes the example and is not fed."""
    missing: int = 0
    """Nulls and NaN together."""
    infinite: int = 0
    first_infinite: int | None = None
    """Row, counted from 0."""
    distinct: int = 0
    """Exact up to a few thousand, an estimate beyond."""
    low: float | str | None = None
    high: float | str | None = None
    mean: float | None = None
    spread: float | None = None
    """Standard deviation."""
    counts: dict[str, int] = {}
    """Rows of each value, where there are few of them."""
    bars: tuple[int, ...] = ()
    """Of a sample: rows in each of as many equal parts of its range, which is that of the training data."""
    numeric_share: float | None = None
    """Of a text column, how many of the values in the sample are written as numbers."""
    strays: tuple[str, ...] = ()
    """Values in it that are not, where most are."""
    apart: float | None = None
    """How many times farther from the middle the outermost values lie than the next ones within."""
    outermost: tuple[str, ...] = ()
    """Those values and their rows."""
    unit_factor: float | None = None
    """Its values form two clusters of one shape, apart by this factor between two units."""
    unit_share: float = 0.0
    """Of its values, those in the smaller cluster."""
    unit_examples: tuple[str, ...] = ()
    drift: float | None = None
    """Largest difference of its distribution from that of the training data, between 0 and 1."""
    numbered: bool = False
    """Its values number the rows, or name each row by a code of its own."""


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """A label that other rows contradict."""

    row: int
    label: str
    expected: str
    probability: float
    shown: str = ""
    picture: str = ""
    """Of an image: a small copy, as a `data:` address."""


class TableSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One split, read once from end to end."""

    file: str
    split: str
    """`train`, `val` or `test`."""
    rows: int
    sampled: int
    """Rows that were kept for what cannot be computed in one pass."""
    columns: tuple[ColumnSeen, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    """The twenty labels that other rows contradict most, of classes that can be told at all."""


class RepeatedRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of one table that occur in it more than once, the numbers of rows left aside."""

    file: str
    split: str
    looked: int
    """Rows that were compared with all others: every one, or a sample that holds all copies of each row it holds."""
    exact: int
    """Of those, rows that have an earlier copy."""
    near: int
    """Rows whose inputs are nearly those of an earlier row, beyond chance: equal when rounded, by MinHash, or far
    nearer than rows of the table are."""
    by_chance: float
    """Of the exact copies, the share to be expected without anything having been copied: columns have few values."""
    pairs: tuple[str, ...] = ()
    """Examples, as numbers of rows."""
    disagreeing: int | None = None
    """Rows whose inputs equal those of another row with another target; None where no target is named."""
    disagreements: tuple[str, ...] = ()


class SharedRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of one split that are in the training data too."""

    file: str
    train_file: str
    split: str
    looked: int
    exact: int
    near: int
    by_chance: float
    pairs: tuple[str, ...] = ()


class SharedGroups(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    column: str
    groups: int
    """In the split."""
    shared: int
    """… that occur in the training data too."""
    examples: tuple[str, ...] = ()


class SharedTimes(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    split: str
    column: str
    first: str
    """The earliest time in the split, and the latest one trained on."""
    latest_trained: str
    later_share: float
    """Of the training rows, those that are not before the first of the split."""


class TargetPower(msgspec.Struct, frozen=True, kw_only=True):
    """What single columns know of the target. Skill is 0 for a guess, 1 for always right, on rows not learnt from."""

    file: str
    target: str
    rows: int
    alone: dict[str, float]
    """Skill by each of the best columns alone."""
    strongest: tuple[str, ...] = ()
    """Columns that alone come close to the best."""
    others: float | None = None
    """Skill by all the other columns together; None where there are none."""
    copies: tuple[str, ...] = ()
    """Columns that equal the target in every row."""
    pair: str = ""
    """Two columns and how they go together, where neither is strong alone."""
    pair_skill: float = 0.0
    pair_others: float | None = None
    """Skill by all columns but those two."""


class TargetFit(msgspec.Struct, frozen=True, kw_only=True):
    """Do inputs and targets of the same row belong together?"""

    file: str
    target: str
    rows: int
    skill: float
    """By all inputs, on rows not learnt from."""
    without: float
    """The same with the targets permuted: what chance gives."""
    shifted: dict[int, float]
    """Skill at other offsets, where it was low at this one: 1 pairs each row with the target of the next."""
    forecast: bool = False
    """At that offset the target is itself one of the inputs, as where the next value is to be foretold."""


class LabelDoubts(msgspec.Struct, frozen=True, kw_only=True):
    """Classes as they are written against what other rows make of the inputs."""

    file: str
    target: str
    doubts: Doubts
    doubtful: tuple[Doubt, ...] = ()
    """The same rows as there, by what they are called."""


class Drifted(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    distance: float
    """Largest difference of the two distributions: 0 where they are equal, 1 where they have nothing in common."""
    q: float
    """Probability of so much by chance, corrected for the number of columns."""
    saw: str
    """The middle or the commonest value in the split against the training data."""
    within: float = 0.0
    """The same distance between the earlier and the later half of the training data, where a time was named."""


class SplitDrift(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    split: str
    rows: int
    columns: tuple[Drifted, ...]
    """Farthest first."""
    told_apart: float
    """How often a classifier ranks a row of the split above one of the training data: 0.5 is a guess."""
    by: tuple[str, ...] = ()
    """The columns it goes by."""
    within: float = 0.5
    """How often it tells the halves of the training data apart, where a time was named."""
    unseen: tuple[str, ...] = ()
    """Classes of the target that are not in the training data."""


class TextsSeen(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    split: str
    column: str
    rows: int
    """Looked at."""
    empty: int = 0
    damaged: int = 0
    """Texts with characters that a wrong decoding leaves behind."""
    damaged_examples: tuple[str, ...] = ()
    median_length: float = 0.0
    longest: int = 0
    longest_row: int = 0
    cut: int = 0
    """Texts that end at exactly the greatest length, where hardly any end just before it."""
    cut_at: str = ""
    tokenizer: str = ""
    lossy: int | None = None
    """Texts that do not come back when their tokens are decoded; None without a tokenizer."""
    lossy_examples: tuple[str, ...] = ()
    unknown_share: float | None = None
    """Of the tokens, those the tokenizer has no word for."""


class ImagesSeen(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    split: str
    images: int
    broken: int = 0
    """Files that cannot be decoded to their end."""
    broken_examples: tuple[str, ...] = ()
    flat: int = 0
    """Images of one colour."""
    flat_examples: tuple[str, ...] = ()
    dark: int = 0
    """Images none of whose values is above 2 of 255, though not all are 0."""
    dark_examples: tuple[str, ...] = ()
    modes: dict[str, int]


class Breach(msgspec.Struct, frozen=True, kw_only=True):
    column: str
    saw: str
    wanted: str
    rows: tuple[int, ...] = ()
    """The first few."""


class SchemaHeld(msgspec.Struct, frozen=True, kw_only=True):
    """A table beside what it has to be like: a file of rules, or the table of the training data."""

    file: str
    schema: str
    breaches: tuple[Breach, ...] = ()


def of_table(file: str, column: str | None = None) -> Where:
    """A file and a column of it; tables have no lines."""
    return Where(file=file, module=None if column is None else f"column `{column}`")


def few(names: tuple[str, ...], most: int = 5) -> str:
    """The first of them, and how many more there are."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
