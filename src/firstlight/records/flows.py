"""What the looks at a tape add up to: the places where a flow through the program breaks."""

import msgspec

from firstlight.records.facts import Ranked
from firstlight.records.places import Site
from firstlight.records.stored import ExamplesStored


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A call on the tape."""

    operation: str
    site: Site | None


class Guessed(Ranked, frozen=True, kw_only=True):
    """The first and the last comparison of one backward's loss with that of a guess, and what makes outputs large."""

    site: Site | None
    first: float
    first_guess: float
    tenth: float
    """The first loss if all outputs were a tenth as large."""
    step: int
    loss: float
    guess: float
    grown: Place
    """The call between data and outputs in which values grow most, and what it was given."""
    before: float
    size: float
    entry: bool
    """The data enter in it."""
    trained: bool
    """Trained tensors take part in it."""
    last: bool
    """No layer comes after it."""


class Pulling(Ranked, frozen=True, kw_only=True):
    """Which way one backward pulls at one place where predictions meet answers, at all looks."""

    kind: str
    meeting: Place
    site: Site | None
    """The backward."""
    looks: int
    away: int
    """At which contrary predictions had the lower loss."""
    towards: int
    """Looks at other places of the same backward that pull the right way."""
    step: int
    right: float
    """Losses at the last look."""
    contrary: float
    optimizers: int
    share: float | None
    """Of the gradients of the network's outputs, what changes with the answers of other examples; the most. None where
    errors cancel over the examples, so that it cannot matter whose answer is whose."""
    acting: bool
    """The same backward weights likelihoods of what the program did."""
    climbs: bool
    """The optimizer goes up the gradient: what it is given is to rise."""
    larger: float = 1.0
    """How large answers that are values are, over the predictions, at the look at which that is least."""
    pace: float = 0.0
    """The largest part of their size by which a step was seen to change the weights, in the median."""


class Fading(Ranked, frozen=True, kw_only=True):
    """How little the examples differ on their way to the last layer, at the look at which they differ most."""

    spread: float
    """Relative to the values."""
    lost: Place
    """The call in which most is lost, and what it was given."""
    before: float
    entry: bool
    """It is where the data enter the network."""
    looks: int
    step: int
    learnt: bool = False
    """The program is certain to learn all the same: the difference came back."""


class Swelling(Ranked, frozen=True, kw_only=True):
    """How large values become within the network, at the look at which they are smallest."""

    size: float
    grown: Place
    """The call in which they grow most, and the size of what it was given."""
    before: float
    entry: bool
    looks: int
    step: int
    into: str = ""
    """The squashing call that these values are given to; "" for the largest values of all."""


class Narrowing(Ranked, frozen=True, kw_only=True):
    """The fewest numbers that stand for an example within the network."""

    at: Place
    numbers: int
    outputs: int
    """Of the prediction that is made from them."""


class Levelling(Ranked, frozen=True, kw_only=True):
    """One line that works on what the network is fed, or on its answers: medians over all looks."""

    call: Place
    looks: int
    step: int
    before: float
    """Share of a column that has one of its commonest few values, before the call and after it."""
    after: float
    of: str = "inputs"
    """`inputs`, `answers` that are numbers, `classes`, `rounding` of inputs, or of `constants` in the network."""
    merged: float = 0.0
    """Share of the pairs of values that the call made the same."""
    lost: float = 0.0
    """Share of the variance that cannot be told any more."""
    wrapped: float = 0.0
    """Share of the values that did not fit their new type."""
    cast: bool = False
    """To whole numbers, before training."""
    gone: int = 0
    """Classes that are answers no more, at the look with the fewest."""
    ignored: bool = False
    """They are left out, and not taken for others."""
    rounded: float = 0.0
    """How far the inputs are from the same in double precision, over their deviation."""
    unlearnt: bool = False
    """The program was seen not to learn."""
    stored: ExamplesStored | None = None
    """It is what a dataset does to the examples it keeps, and nothing else is known of it."""


class TwoComparisons(Ranked, frozen=True, kw_only=True):
    """One layer's output, compared with answers in training and in evaluation."""

    training: Place
    evaluation: Place
    trained: tuple[str, ...]
    """Operations on every way to the answers in training, and on none in evaluation."""
    evaluated: tuple[str, ...]
    """The other way round."""
    looks: int
    step: int


class Alike(Ranked, frozen=True, kw_only=True):
    """All examples of a batch are given the same prediction at every look from some step on."""

    examples: int
    fed: int
    """Examples that differ where they enter."""
    looks: int
    step: int
    last_good: Place | None
    """The last call whose output still differs; None where it is lost as the data enters."""
    first_bad: Place
    left: float | None = None
    """What still differed there, relative to the values."""
