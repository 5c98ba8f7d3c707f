"""What a model is fed: how it is distributed, which examples come twice, and what of the targets is in it."""

import math

import msgspec

from firstlight.records.facts import Ranked
from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor given to a model, over many calls, by its columns: features, or the channels of images."""

    name: str
    shape: tuple[int, ...]
    """Of the first call."""
    dtype: str
    rows: int
    low: float
    high: float
    mean: float
    std: float
    """Over all values."""
    columns: int
    nonfinite: int = 0
    whole: bool = False
    """Every value is a whole number."""
    constant: int = 0
    first_constant: tuple[int, ...] = ()
    twins: int = 0
    """Columns equal to an earlier one at every row."""
    first_twins: tuple[tuple[int, int], ...] = ()
    widest: float = 0.0
    """The largest standard deviation of a column, and the smallest of one that moves."""
    narrowest: float = 0.0


class Preparation(msgspec.Struct, frozen=True, kw_only=True):
    """How what is evaluated was prepared otherwise than what is trained on, by a sample of both, place by place."""

    places: float = 0.0
    """Values of an example that vary by themselves: a series of a hundred values that rise together has one."""
    factor: float = 1.0
    """What training is multiplied by, and below, what is then added, in its deviations, to be like evaluation."""
    offset: float = 0.0
    even: float = 0.0
    """Share of the places that this factor fits."""
    order: str = ""
    """How the places of evaluation fit those of training better; empty where they do not."""
    turned: bool = False
    """That is with two axes exchanged."""
    own: float = 0.0
    """Distance of the places as they are, and below, in that order, both in the distance that chance alone makes."""
    ordered: float = 0.0
    ascending: str = ""
    """The side, `training` or `evaluation`, whose examples alone are sorted by value."""

    @property
    def times(self) -> float:
        """By which most rows lie wider on one side, whichever it is; infinite where that is not known."""
        if self.even == 0:
            return math.inf
        return max(self.factor, 1 / self.factor) if self.factor > 0 else 0.0


class OwnScale(msgspec.Struct, frozen=True, kw_only=True):
    """Columns that are scaled exactly, in training and again in an evaluation of other examples."""

    kind: str = ""
    """`unit`: mean 0 and deviation 1, `range`: from 0 to 1; empty where they are not."""
    columns: int = 0
    trained: int = 0
    """Rows of either side, all of which make it so."""
    evaluated: int = 0


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """In which order the values of an example come from their loader to the model, the same at every call."""

    training: str = ""
    """Empty where it is not known of both sides."""
    evaluation: str = ""
    calls: int = 0
    """Looked at, on the side that has fewer."""
    apart: bool = False
    """In no evaluation as in training."""
    turned: bool = False
    """With two axes of an example exchanged, as against training."""


class Fed(msgspec.Struct, frozen=True, kw_only=True):
    """The same tensor in training and, where it was seen there, in evaluation."""

    train: Columns
    evaluated: Columns | None = None
    apart: float = 0.0
    """Distance of the column means in deviations of training, and below, the ratio of deviations: both medians."""
    wider: float = 1.0
    prepared: Preparation = Preparation()
    carried: Carried = Carried()
    own_scale: OwnScale = OwnScale()


class IdsFed(msgspec.Struct, frozen=True, kw_only=True):
    """Whole numbers given to a model, such as tokens, in evaluation as against training."""

    name: str
    counted: int = 0
    """On the side that has fewer, and below, different ones."""
    kinds: int = 0
    own: float = 0.0
    """How far they lie from those of training, in nats a number; below, if those of training are moved so, by which
    they come nearest; and the least if they are moved by anything else, nothing included."""
    offset: int = 0
    moved: float = 0.0
    others: float = 0.0


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """Examples met in training and again in evaluation, by all their values."""

    trained: int = 0
    """Different examples trained on, and so below."""
    whole: bool = False
    """Hardly any new ones came in the last batches: those are all."""
    again: float = 0.0
    """Share of the last batches that had been trained on before."""
    doubled: float = 0.0
    """Share of the ids trained on that come more than once in a pass, as phrases of few words do; else 0."""
    evaluated: int = 0
    """And not trained on."""
    judged: int = 0
    """Evaluated in batches that are not simply the training set again, by those that can be told apart at all."""
    shared: int = 0
    """Of those, trained on before."""
    covered: int = 0
    """Trained on, and evaluated in any batch."""
    apart: int = 0
    """Judged one batch after the other, and none of them trained on; the most there were."""
    calls: int = 0
    pure: int = 0
    """Calls on batches of the training set alone."""
    ended: bool = False
    """The program was seen to its last line: nothing else is evaluated."""
    near: int = 0
    """Evaluated and not trained on, but next to an example that was."""
    room: float = 0.0
    """Bits by which examples can differ; below some dozens they coincide by chance."""
    pieces: int = 0
    """Stretches of a few places in evaluated sequences, and below, the share of them that was trained on before."""
    shared_pieces: float = 0.0
    sampled: bool = False
    """Evaluated and shared are those of a sample."""

    @property
    def by_chance(self) -> float:
        """As many of `apart` would have been trained on as of the others, were they no part of their own."""
        return self.apart * self.shared / max(1, self.judged - self.apart)


class PartEvaluated(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation by itself: what the program evaluates from one of its places. Numbers as in `Overlap`."""

    site: Site | None = None
    name: str = ""
    """By which the program holds it for data that are not trained on: `test_loader`; empty where none says so."""
    judged: int = 0
    """Of data with such a name, all; of others, those in batches that are not simply the training set again."""
    shared: int = 0
    covered: int = 0


NO_PART = -1
"""The number of the evaluation that a batch belongs to, where it is not known."""


class Echo(msgspec.Struct, frozen=True, kw_only=True):
    """What the inputs and the targets of the same steps have in common."""

    varied: int = 0
    """Steps at which the targets differ between examples."""
    compared: int = 0
    """Steps at which a table of features was set against a target for each row."""
    columns: tuple[int, ...] = ()
    """Columns from which the target follows exactly at every one of them."""
    exact: bool = False
    """They equal it; otherwise they are a line in it."""
    of: int = 0
    """Columns in all."""
    padded: int = 0
    """Steps at which rows of ids ended in the same id, each after another length."""
    pad: int = 0
    """That id."""
    pad_share: float = 0.0
    """Mean share of the targets that lie in those ends and count in the loss."""


class Pass(msgspec.Struct, frozen=True, kw_only=True):
    """The examples a rank trained on until one came back."""

    examples: int
    smallest: tuple[int, ...]
    """The smallest keys of them: a fair sample, and the same one of equal sets."""


class ExamplesMet(Sighting, frozen=True, kw_only=True, tag="examples-met"):
    """Which examples one model trained on and was evaluated on, by the smallest of their keys.

    Those are a fair sample, and the same one in every run of the program: what one run trained on can be compared with
    what another one evaluated.
    """

    model: int
    trained: int
    smallest: tuple[int, ...]
    """The smallest keys of those trained on."""
    whole: bool
    """Hardly anything new came in the last batches: all that there is was trained on."""
    room: float
    """Bits by which examples can differ."""
    doubled: float = 0.0
    """As in `Overlap`."""
    evaluated: tuple[tuple[int, ...], ...] = ()
    """The smallest keys of each batch that was evaluated, and below, how many that batch had."""
    sizes: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()
    """Which evaluation each of these batches belongs to, and below, the name of each, as in `PartEvaluated`."""
    names: tuple[str, ...] = ()


NOT_CALLED = -1
"""The number of a model that was not called: its loaders were read by themselves."""


class FeedSeen(Sighting, frozen=True, kw_only=True, tag="feed"):
    """What a model was given, counted at milestones; the last one counts."""

    model: int
    name: str
    site: Site | None
    """Where it is called in training, and below, without gradients."""
    eval_site: Site | None
    inputs: tuple[Fed, ...]
    ids: tuple[IdsFed, ...] = ()
    tensors: int = 1
    """Given at each call."""
    widths: int = 0
    """Different lengths of rows of ids, from batch to batch."""
    overlap: Overlap = Overlap()
    parts: tuple[PartEvaluated, ...] = ()
    """The evaluations that it adds up, where they are known by themselves."""
    echo: Echo = Echo()
    first_pass: Pass | None = None
    """Where there are several ranks."""
    crowded: int = 0
    """Calls without gradients right after a step that followed another such call: a part of the training."""


class SplitsScaled(Ranked, frozen=True, kw_only=True):
    """What a model was given, beside whether anything sets its training examples and the evaluated ones apart."""

    feed: FeedSeen
    parted: float = 0.0
    """As in `Transfer`; 0 where no evaluated examples were seen with their answers."""


class WorkerSeen(Sighting, frozen=True, kw_only=True, tag="worker"):
    """A worker of a DataLoader has fetched its first batch."""

    loader: int
    """The process that reads it."""
    worker: int
    workers: int
    seed: int
    """What torch seeded all workers of this epoch from."""
    dataset: str
    streams: dict[str, str]
    """Digests of the random streams the batch was drawn from, as they were before."""


class CollateSeen(Sighting, frozen=True, kw_only=True, tag="collate"):
    """A collate function put the parts of an item into one batch so that they no longer belong together."""

    site: Site
    what: str
    """`rows` where they are in rows of different items, `places` where they begin at different places of theirs."""
    first: str
    second: str
    """The names of two parts of an item."""
    torn: int
    """Items, of so many."""
    items: int


class Collated(Ranked, frozen=True, kw_only=True):
    """What one collate function tore apart: medians over the batches."""

    site: Site
    what: str
    first: str
    second: str
    batches: int
    step: int
    torn: float
    """Share of the items."""
