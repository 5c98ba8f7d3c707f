"""What examples that are trained on have to do with those that are evaluated on."""

import msgspec

from firstlight.records.places import Site


class Groups(msgspec.Struct, frozen=True, kw_only=True):
    """Examples that lie in groups far nearer to each other than to the rest, by the tree of shortest ways."""

    examples: int = 0
    """Trained on, in the sample; 0 where there are no groups."""
    named: bool = False
    """A column that the program holds names them; what is said of ways below is then not asked."""
    classes: int = 0
    """Of the answers; 0 for values."""
    groups: int = 0
    """Of two and more, and below, the share of the examples that is in one, and that of the largest."""
    shared: float = 0.0
    largest: float = 0.0
    parted: float = 0.0
    """How clearly ways are of two kinds, within groups and between: 0.64 is what ways of one kind give, 1 is all."""
    within: float = 0.0
    between: float = 0.0
    """Median length of either kind."""
    agree: float = 0.0
    """Share of what answers differ by that lies between groups: 1 where all of a group have the same."""
    evaluated: int = 0
    """And not trained on, and below, the share of those that lie in a group that was; the least of any call."""
    known: float = 0.0
    by_rows: float = 0.0
    """How well a plain fit foretells answers it was not given: 0 is what one answer for all gets, 1 is never wrong. Of
    single examples that were left out, and below, of groups that were left out as a whole."""
    by_groups: float = 0.0
    lost: float = 0.0
    """Deviations of luck, group by group, by which the errors on whole groups exceed those on single examples."""


class Spans(msgspec.Struct, frozen=True, kw_only=True):
    """A feature that is a mean over the answers of its own row and of rows around it, in the order they are kept in."""

    rows: int = 0
    """Compared."""
    of: int = 0
    """Columns that move, and below, those of which it is true."""
    count: int = 0
    column: int = -1
    """The one that is so at most rows; all below is of it."""
    first: int = 0
    """The rows whose answers are in it, counted from its own, and how many there are."""
    last: int = 0
    taps: int = 0
    exact: float = 0.0
    """Share of the rows at which it is that sum, to rounding; below, at which it is one of earlier answers alone, and
    of its own alone."""
    earlier: float = 0.0
    alone: float = 0.0


class Encoded(msgspec.Struct, frozen=True, kw_only=True):
    """A feature that is the mean answer of a group of rows, over all rows, evaluated ones among them."""

    column: int = -1
    of: int = 0
    """Columns in all."""
    rows: int = 0
    """Compared, and below, those of them that are evaluated on."""
    evaluated: int = 0
    groups: int = 0
    """Of rows that have the same value of it, whose sums do not follow from the numbers of rows alone: they no longer
    fit once the values are exchanged among the groups."""
    within: float = 0.0
    """Deviation of the answers within a group, in that of all: where it is 0, the feature is the answer."""
    exact: float = 0.0
    """Share of the rows whose group has the mean answer that the feature says, to rounding, or of the groups, or of
    those that are counted above, whichever is smallest: where one group holds nearly all rows, the line may go through
    it alone."""


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """Whether what training examples tell of their answers holds for evaluated ones, by plain fits.

    Of an evaluation for which it holds best. All but counts are correlations of foretold answers with true ones.
    """

    trained: int = 0
    """Examples that were fitted; 0 where no evaluated examples were seen with their answers."""
    evaluated: int = 0
    here: float = 0.0
    """Of training examples, by a fit to others of them, and below, of evaluated ones by a fit to others of those."""
    there: float = 0.0
    across: float = 0.0
    """Of evaluated examples, by a fit to training examples. What follows is asked where that is little."""
    apart: float = 0.0
    """Of the side an example is on, by its inputs: where it is little, they are alike."""
    relabelled: float = 0.0
    """`across`, with classes of other numbers, and below, with each side's inputs on its own scale."""
    rescaled: float = 0.0
    parted: float = 0.0
    """Deviations of chance by which answers of the two sides differ, or a fit is worse on the other side."""
    columns: tuple[tuple[int, int], ...] = ()
    """Input and column of whole numbers that go with other answers on either side."""
    site: Site | None = None
    """Where the model is evaluated."""
    scores: tuple[tuple[str, float], ...] = ()
    """What metrics of scikit-learn came to last, of the answers of these examples."""
