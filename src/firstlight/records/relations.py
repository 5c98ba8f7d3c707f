"""Relations between the examples a program trains on and the answers that belong to them."""

import math

import msgspec

from firstlight.records.doubts import Doubts
from firstlight.records.held_out import Encoded, Groups, Spans, Transfer
from firstlight.records.merged import Merged
from firstlight.records.places import Site
from firstlight.records.reach import InputsReached
from firstlight.records.sighting import Sighting
from firstlight.records.stored import ClassesTurned, ExamplesStored


class Tells(msgspec.Struct, frozen=True, kw_only=True):
    """Single features from which the answer follows, beside the best of the others."""

    columns: tuple[int, ...] = ()
    """The first few of them."""
    count: int = 0
    of: int = 0
    """Columns in all."""
    power: float = 0.0
    """Of the weakest of them over the answer: 0 is none, 1 is all there is to know."""
    others: float = 0.0
    """Of the strongest of the other columns."""
    rest: float = 0.0
    """Deviations by which examples that are alike in all other columns have more alike answers than any two."""


class MadeOf(msgspec.Struct, frozen=True, kw_only=True):
    """A few features of which the answer is an exact sum, in proportions that hold for other rows too."""

    columns: tuple[int, ...] = ()
    """First the one that goes most against the others."""
    places: tuple[int, ...] = ()
    """Of each in its series; then `columns` are features of it."""
    of: int = 0
    """Columns that move."""
    left: float = 1.0
    """Of the answer, by rows that were left out, as are all below: 1 is all of it."""
    alone: float = 1.0
    """By the best of them alone."""
    without: float = 0.0
    """By all but the first of them, and of a series by all but its feature."""
    against: float = 0.0
    """Correlation of what the first adds with what the others add."""


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """A feature that differs from its usual value in examples of one class alone."""

    column: int = -1
    """The one that marks most of the class; all below is of it."""
    of: int = 0
    """Columns in all."""
    count: int = 0
    """Columns that mark this class, and below, those that mark another one."""
    other_classes: int = 0
    kind: int = -1
    """The class."""
    rows: int = 0
    """Marked, and below, those of them that are of another class, and the share of the class that is marked."""
    exceptions: int = 0
    covered: float = 0.0
    foreseen: float = 0.0
    """As many exceptions as a plain fit to the other columns expects, among as many rows."""
    rest: float = 0.0
    """Deviations by which examples that are alike in the other columns have more alike answers than any two."""
    clear: float = 1.0
    """Correlation of answers and what that fit foretells of them, and below, by one to the unmarked rows alone: where a
    rule has the mark among its conditions, what is left without it is clearer."""
    clear_without: float = 1.0


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """Whether examples that lie next to each other have like answers, against answers dealt at random."""

    examples: int = 0
    likeness: float = 0.0
    """Of neighbours' answers: 0 is what chance gives, 1 is the same."""
    deviations: float = 0.0
    """By which the likeness exceeds that of answers dealt at random."""
    offset: int = 0
    """Rows to the place whose answer fits best, and how well it does."""
    offset_deviations: float = 0.0
    could: float = 0.0
    """Deviations that answers as frequent as these would show if they went with the inputs; asked where few are."""


class Reordered(msgspec.Struct, frozen=True, kw_only=True):
    """How answers fit the examples of a dataset as they are, and where one of the two is counted in another order."""

    examples: int = 0
    deviations: float = 0.0
    """By which answers of examples that are alike are more alike than those of any two."""
    order: str = ""
    """In words, of those tried the one in which they fit best, and how well they do."""
    order_deviations: float = 0.0


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """How answers fit the first examples of a dataset where they are, and where they lie further and further away."""

    examples: int = 0
    fit: float = 0.0
    """Agreement of answers with what other examples foretell, where they are or moved by a few rows, all by as many:
    0 is none, 1 is all."""
    along: float = 0.0
    """The same with the answers to which the offsets lead that fit best."""
    chance: float = 1.0
    """The same with answers from elsewhere: what the freedom to choose offsets makes of any."""
    offset: int = 0
    """Rows at the end, and below, in the middle: below 0 where answers were left out and not examples."""
    halfway: int = 0
    gaps: int = 0
    """Places at which the offset grows."""


class Pocket(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the rows lies on another scale than the rest."""

    name: str
    """The input, or `answer`."""
    column: int | None = None
    """None where whole rows do."""
    rows: int
    of: int
    factor: float
    """Between the usual size there and that of the rest."""
    gap: float
    """Between the smallest there and the largest of the rest."""


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Answers for each place of an input, laid over it as they come and otherwise."""

    steps: int = 0
    kind: str = "tokens"
    """`tokens` are moved along their sequence, `pixels` are also mirrored and turned."""
    fit: float = 0.0
    """How much an input tells of the answer at its own place."""
    best: str = ""
    """How the answers fit better most often; empty where they do not."""
    best_fit: float = 0.0
    share: float = 0.0
    """Of the steps at which they do, or of the images that fit better in any other way."""


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """The answer, found again in an input sequence: 1 is the next place."""

    offset: int
    length: int
    """Of the input, and below, of the answer."""
    places: int
    whole_numbers: bool
    aligned: bool
    """An answer for each place of the input, else a window of its own."""
    feature: int
    steps: int
    """At which it was so, of those below."""
    of: int


class Repeats(msgspec.Struct, frozen=True, kw_only=True):
    """Examples of which another one has all the inputs, value by value."""

    repeated: int = 0
    conflicting: int = 0
    """Of those, in a group with more than one class."""
    pair: tuple[int, ...] = ()
    """Two classes of the same inputs."""
    room: float = 0.0
    """Bits by which inputs can differ; below some dozens they coincide by chance."""


class AnswersFollowed(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of examples in the loss, beside those that the same examples were known to have."""

    known: str
    """`loaded`: the answers that came with them from their loader, `before`: those they had earlier in training."""
    compared: int
    """Examples whose answer is known from both, and below, those whose answers differ."""
    others: int = 0
    moved: float = 0.0
    """The difference of the two in proportion to that of any two examples: 0 is the same, 1 is dealt anew."""
    spread: float = 0.0
    """Share of the changed answers that are not the most frequent one among them: 0 where all became the same."""
    first: tuple[int, int] = (0, 0)
    """Step and row of the first example with another answer."""


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """Examples that were loaded, and those of them that were trained on, by class."""

    loaded: int = 0
    """In batches of which only a part was trained on."""
    classes: int = 0
    most: int = 0
    """The class of which the largest share was, and below, that share, and that of all other classes together."""
    of_most: float = 0.0
    of_others: float = 0.0


class RowsReached(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows of a batch have any influence on the loss."""

    steps: int = 0
    rows: int = 0
    never: int = 0
    """Rows whose predictions never moved the loss, whatever they were."""


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """What comes after the last place that counts in the loss, in rows of ids of which each is asked for the next."""

    steps: int = 0
    rows: int = 0
    """With places that count."""
    end: int = -1
    """The id that follows most often, and below, in how many of the rows it does."""
    followed: int = 0
    content: int = 0
    """Of those, by a mask over the places: the first one of that id is marked like what counts, and the next is not."""
    bounded: int = 0
    """Steps at which it follows every row, and the longest one once: rows are padded to the longest with its end."""
    widths: int = 0
    """Different widths of a batch."""
    counted: int = 0
    """Places that hold it and count."""
    lengths: int = 0
    """Different numbers of places that count, from row to row."""
    alike: float = 1.0
    """Share of the rows whose last place that counts holds the commonest of such ids."""


class Mixed(msgspec.Struct, frozen=True, kw_only=True):
    """Examples that reach the model mixed with another one of their batch, while their answer stays their own."""

    examples: int = 0
    """Compared with the batch as it was loaded."""
    mixed: int = 0
    weight: float = 0.0
    """Of the other example, usually."""


class Skills(msgspec.Struct, frozen=True, kw_only=True):
    """How well answers are foretold: 0 is what one answer for all examples gets, 1 is never wrong."""

    rows: int = 0
    """Examples of a plain fit, each foretold by all others, and below, how well."""
    plain: float = 0.0
    later: float | None = None
    """Of one to the examples of the program's last looks; None where those are few."""
    own: float = 0.0
    """The program's own, in its last looks at new batches, and below, in those before."""
    before: float = 0.0
    looks: int = 0
    step: int = 0
    """Of the last look."""
    common: float = 0.0
    """How often one answer for all examples is right; 0 where answers are values."""

    @property
    def deviations(self) -> float:
        """Of the plain fit's skill from none, as luck would have it with so many examples."""
        chance = self.common / (1 - self.common) if 0 < self.common < 1 else 1.0
        return self.plain * math.sqrt(max(0, self.rows) / chance)


class RelationsSeen(Sighting, frozen=True, kw_only=True, tag="relations"):
    """What examples and answers that met on one line have to do with each other, over the sample that was kept."""

    site: Site | None
    """Where the examples came in, and below, where they met their answers."""
    meeting: Site | None
    examples: int
    """Different ones, in the sample."""
    met: int
    """All that were met while the sample was taken; where there are more, it is the first of them."""
    answers: str
    """`classes`, `values` or `many`: an answer for each place or pixel."""
    classes: int = 0
    named: bool = False
    """Some inputs are names of things, by a number that says nothing of what is like what."""
    acting: bool = False
    """The model is asked without gradients between most steps: its answers may be its own doing."""
    tells: Tells = Tells()
    made_of: MadeOf = MadeOf()
    marked: Marked = Marked()
    near: Neighbours = Neighbours()
    in_order: Neighbours = Neighbours()
    """Of the dataset's first rows, one after the other; asked where little is seen in the order of training."""
    reordered: Reordered = Reordered()
    """Asked there too, and so is what follows."""
    drift: Drift = Drift()
    pockets: tuple[Pocket, ...] = ()
    places: Places | None = None
    lag: Lag | None = None
    repeats: Repeats = Repeats()
    doubts: Doubts = Doubts()
    left_when_sure: float = 0.0
    """Loss of predictions that are sure of the classes as they are given: the loss itself reckons with wrong ones."""
    doubted: tuple[tuple[int, int, int], ...] = ()
    """Of the most doubtful of them: step, row in the batch, and place in the dataset, -1 where that is not known."""
    kept: tuple[AnswersFollowed, ...] = ()
    drawn: Drawn = Drawn()
    counted: RowsReached = RowsReached()
    ends: Ends = Ends()
    mixed: Mixed = Mixed()
    skills: Skills = Skills()
    reach: InputsReached = InputsReached()
    """Asked where a plain fit does far better than the program."""
    stored: ExamplesStored = ExamplesStored()
    turned: ClassesTurned = ClassesTurned()
    merged: Merged = Merged()
    """Asked where ids are fed, and the program holds the texts."""
    groups: Groups = Groups()
    groups_named: Groups = Groups()
    """Asked where other examples than those trained on were evaluated."""
    spans: Spans = Spans()
    encoded: Encoded = Encoded()
    transfer: Transfer = Transfer()
    """Asked where the answers of evaluated examples are known."""
    seconds: float = 0.0
    """What the comparison took."""


class Relations(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one line, beside whether the program learns there."""

    seen: RelationsSeen
    unlearnt: int = 0
    """Steps that were measured there and did not certify that it learns; 0 where they did, or none were."""
    learnt: bool = False
    """It is certified that the program learns there."""
    levelled: float = 0.0
    """Share of the values that the program makes one of a few before it feeds them: relations are those of the rest."""
    warming: bool = False
    """The learning rate was still rising when it was last seen."""

    @property
    def rank(self) -> int:
        return self.seen.rank

    @property
    def scored(self) -> bool:
        """Its answers are the data's own, and were foretold by the program and by a plain fit."""
        return self.seen.skills.rows > 0 and not self.seen.acting


class HeldBackScore(msgspec.Struct, frozen=True, kw_only=True):
    """A score of held-back examples as it was last, whose level by chance is known, beside how training does."""

    rank: int
    name: str
    value: float
    guess: float
    """What chance gets: of an accuracy, one answer for all examples."""
    accuracy: bool = True
    own: float
    """The program's own skill on what it trains on, and below, that of a plain fit on examples it was not given; as in
    `Skills`."""
    foretold: float = 0.0
    site: Site | None
    """Where the model is evaluated."""
