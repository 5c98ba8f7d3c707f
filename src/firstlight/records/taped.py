"""The tape as it is written down, and what was asked of it while its graph was alive."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class TapeRow(msgspec.Struct, frozen=True, array_like=True):
    """One torch call behind a loss. Written as an array, because there are hundreds of them."""

    number: int
    operation: str
    file: int | None
    """Which of the tape's files, and the line in it."""
    line: int
    shape: tuple[int, ...]
    made_from: tuple[int, ...]
    """The rows whose outputs it was given."""
    trained: bool
    """It rests on trained tensors, and below, on data."""
    data: bool
    gradient: bool
    entry: bool
    """A trained tensor enters here."""
    examples: int | None
    """How many examples of the batch differ from one another; None where the first axis is not that of the examples."""
    size: float
    """Root mean square of the values; NaN where one of them is not a number."""
    spread: float | None = None
    """Root mean square of what differs between the examples; None where `examples` is."""


class TapeSeen(Sighting, frozen=True, kw_only=True, tag="tape"):
    """The rows behind one backward, or a part of them: a long tape takes several records."""

    site: Site | None
    """The backward."""
    part: int
    batch: int
    """Examples in it, as far as the answers and what was fed tell."""
    fed: int
    """How many examples the network was fed that differ from one another."""
    files: tuple[str, ...]
    predictions: tuple[int, ...]
    """Rows whose outputs meet answers."""
    rows: tuple[TapeRow, ...]


class WholeFed(Sighting, frozen=True, kw_only=True, tag="whole-fed"):
    """What the models were fed is all of tensors that were there at an earlier look."""


class ReachSeen(Sighting, frozen=True, kw_only=True, tag="reach"):
    """How low the loss gets over free outputs of the last activation, and over free inputs to it."""

    operation: str
    site: Site | None
    meeting: Site | None
    into: str
    """The next call that uses its values, at `meeting`: the one that meets the answers, or another activation."""
    loss: float
    free: float
    bound: float
    probable: bool = False
    """The answers are classes, or lie between 0 and 1."""
    looks: int = 0
    """That it stands for, once all are known."""


class FloorSeen(Sighting, frozen=True, kw_only=True, tag="floor"):
    """A loss that is made for probabilities: how low it gets over whatever the network may give."""

    operation: str
    site: Site | None
    """Where they meet the answers."""
    low: float
    high: float
    """Of what it was given."""
    perfect: float
    """The loss of predictions that equal the answers."""
    spread: float
    """By how much it is higher for the worst of a few other probabilities."""
    lowest: float
    looks: int = 0
    """That it stands for, once all are known."""
    optimizers: int = 1
    """That were seen to step."""


class TwiceSeen(Sighting, frozen=True, kw_only=True, tag="predicted-twice"):
    """One layer gave the same predictions several times, and they are held against different answers."""

    operation: str
    """The call that gave them, and where."""
    site: Site | None
    met: Site | None
    met_again: Site | None
    times: int
    examples: int
    likeness: float
    """Correlation of the answers."""
    looks: int = 0
    """That it stands for, once all are known."""


class RunawaySeen(Sighting, frozen=True, kw_only=True, tag="runaway"):
    """An output that no answer is compared with, and that lowers the loss without end the further it goes one way."""

    site: Site | None
    """Where the loss turns its sign, or takes it at last."""
    output: Site | None
    """Where the network gives it, or it is bounded."""
    way: str
    """`up` or `down`."""
    shift: float
    loss: float
    lowest: float
    """With all of it shifted."""
    looks: int = 0
    """That it stands for, once all are known."""
    optimizers: int = 1
    """That were seen to step."""


class SettledSeen(Sighting, frozen=True, kw_only=True, tag="settled"):
    """Where the loss comes to rest over free outputs of the network."""

    operation: str
    """At which the answers are met, and where."""
    site: Site | None
    loss: float
    first: float
    """Where the search for the lowest began."""
    lowest: float
    rise: float
    """What it rises by where the answers are dealt out to other examples then."""
    apart: float
    """How far those outputs differ between examples, over their size or how far the answers do."""
    crossed: float
    """Of what a single changed answer changes in the gradients, the share at other examples."""
    classes: bool
    """The answers are few different values."""
    looks: int = 0
    """That it stands for, once all are known."""
    optimizers: int = 1
    """That were seen to step."""


class VolumeSeen(Sighting, frozen=True, kw_only=True, tag="volume"):
    """A term of the loss that is the logarithm of the determinant of the network's Jacobian, or its negative."""

    site: Site | None
    """Where it joins the others."""
    columns: int
    examples: int
    likeness: float
    """Its correlation over the examples with what autograd gives."""
    pull: float
    """By how much the loss rises as the logarithm does, for all examples."""
    looks: int = 0
    """That it stands for, once all are known."""


class AxisSeen(Sighting, frozen=True, kw_only=True, tag="axis"):
    """Probabilities, or their logarithms, of which answers choose some along another axis than they add up to one."""

    operation: str
    """What made them, and where; or what meets the answers."""
    site: Site | None
    met_by: str
    shape: tuple[int, ...]
    axis: int
    """Along which they add up to one."""
    chosen: int
    """Along which answers choose."""
    error: float
    """By which the logarithm of their sum along that is away from 0."""
    drawn: bool = False
    """Answers add up to one along the same axis, and examples were drawn into the batch along it."""
    looks: int = 0
    """That it stands for, once all are known."""


class CrossedSeen(Sighting, frozen=True, kw_only=True, tag="crossed"):
    """Broadcasting put each example of one tensor together with every example of another, and no pair was told from
    the others afterwards."""

    operation: str
    site: Site | None
    left: tuple[int, ...]
    right: tuple[int, ...]
    result: tuple[int, ...]
    others: float
    """Share of the weight in the loss that pairs of different examples have."""
    looks: int = 0
    """That it stands for, once all are known."""


class FreeSeen(Sighting, frozen=True, kw_only=True, tag="free"):
    """How low the loss gets over free predictions: what its answers allow, whatever the model."""

    free: float


class GuessSeen(Sighting, frozen=True, kw_only=True, tag="guess"):
    """The loss of a batch beside that of the best output that is one and the same for all its examples."""

    site: Site | None
    """Of the backward."""
    loss: float
    guess: float
    tenth: float
    """The loss if all outputs were a tenth as large."""
    aside: float = 0.0
    """How much of the guess is made of terms that do not rest on what was guessed."""


class TermSeen(Sighting, frozen=True, kw_only=True, tag="silent-term"):
    """A term of the loss that rests on trained tensors, and carries no gradient or none to some of them."""

    operation: str
    site: Site | None
    """The call that was given a gradient and passed none on."""
    added: Site | None
    """Where it joins the others, or compares with answers."""
    value: float
    """The term's; where some tensors get nothing of it, the loss were all examples alike to what does train them."""
    loss: float
    unfelt: int = 0
    """Trained tensors that it has no gradient for; else it has none at all."""
    derivative: bool = False
    """A derivative of the network by its inputs, added to its outputs; `value` is its size."""
    times: int = 0
    """That it was seen, and below, of how many looks; known once all are."""
    looks: int = 0


SCALE = -1


class CancelSeen(Sighting, frozen=True, kw_only=True, tag="cancelling"):
    """Errors that cancel in the loss: how much it changes by them, and by a shift."""

    operation: str
    site: Site | None
    """The first call that sums, or where the outputs meet the answers."""
    axis: int
    """Of the network's outputs, along which errors of opposite sign cancel; `SCALE` where all outputs may be multiplied
    by one factor."""
    length: int
    loss: float
    moved: float
    shifted: float
    looks: int = 0
    """That it stands for, once all are known."""


class MuteSeen(Sighting, frozen=True, kw_only=True, tag="mute-answer"):
    """An answer for which the loss is the same whatever the network gives."""

    operation: str
    site: Site | None
    """Where predictions meet the answers."""
    value: float
    elements: int
    of: int
    others: float
    """Change of the loss where another answer is asked for."""
    times: int = 0
    """That it was seen, and below, of how many looks; known once all are."""
    looks: int = 0


VALUES, CLASSES, LIKELIHOODS = "values", "classes", "likelihoods"
"""What answers are: values to be met, classes to be named, or weights of what the program did."""


class PullSeen(Sighting, frozen=True, kw_only=True, tag="pull"):
    """The loss with predictions that follow their answers a little, and with contrary ones."""

    kind: str
    operation: str
    site: Site | None
    """Where they meet."""
    backward: Site | None
    right: float
    contrary: float
    share: float | None = None
    """Of the gradients of the network's outputs, what changes with the answers of other examples."""
    larger: float | None = None
    """How large answers are that are values, over how large the predictions are."""


OUTPUTS = "outputs"


class PenaltySeen(Sighting, frozen=True, kw_only=True, tag="penalty-pulls"):
    """What a loss pulls at weights by itself, and through the data: norms of gradients. Or at outputs, without answers
    and by them."""

    site: Site | None
    own: float
    through: float
    on: str = "weights"
    """Or `outputs`."""
    looks: int = 0
    """That it stands for, once all are known."""


class AlteredSeen(Sighting, frozen=True, kw_only=True, tag="altered"):
    """A gradient that was changed after autograd had made it, by what it was and what it became."""

    by: str
    name: str
    site: Site | None
    """Where the hook was registered, or the step was made."""
    flipped: float
    """Share of its square whose sign has turned."""
    turned: float
    """Share of its elements whose sign has turned."""
    cosine: float
    lost: float
    """Share of its elements that became zero."""
    uneven: float
    """Deviation of the factor by which the others changed, over its mean."""
    kept: float = 1.0
    """How long it is, over how long it was."""
    bounded: float = 0.0
    """Share of its elements that were cut down to one and the same size, the largest there is."""
    sided: float = 0.0
    """To what share those that became zero had one sign, and the others the other sign."""
    varies: float = 1.0
    """The largest `kept` of all looks over the smallest: 1 for a factor, more for a limit."""
    times: int = 0
    """That it was seen on its line; known once all are, and what it measures is then the median of them."""


class LevelledSeen(Sighting, frozen=True, kw_only=True, tag="levelled"):
    """A call on the data that the network is fed, or on its answers, and what it does to values that differ."""

    operation: str
    site: Site | None
    of: str = "inputs"
    """`inputs`, `answers` that are numbers, `classes`, or `rounding` of inputs."""
    before: float
    """Share of a column that has one of a few common values, before the call and after it."""
    after: float
    merged: float = 0.0
    """Share of the pairs of values that the call made the same."""
    lost: float = 0.0
    """Share of the variance that cannot be told any more."""
    wrapped: float = 0.0
    """Share of the values that did not fit their new type."""
    cast: bool = False
    """To whole numbers, before training."""
    gone: int = 0
    """Classes that are answers no more."""
    ignored: bool = False
    rounded: float = 0.0
    """How far the inputs are from the same in double precision, over their deviation."""


class ComparisonSeen(Sighting, frozen=True, kw_only=True, tag="comparison"):
    """The output of a layer compared with answers, value by value."""

    training: bool
    layer: int
    """Known by its first trained tensor; equal for the same layer in training and evaluation."""
    operations: tuple[str, ...]
    """That changed the values in between."""
    into: str
    site: Site | None
