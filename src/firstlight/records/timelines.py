"""Experiments on copies of the program: that they can be made, how each ended, and what was asked of the model."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class NurseryOpened(Sighting, frozen=True, kw_only=True, tag="nursery"):
    """From here on experiments can be made."""

    pid: int
    engine: str = "fork"
    """How: `fork` copies the program at its first batch, `fresh` and `ray` run it again from its beginning."""
    reason: str | None = None
    """Why not by the engine tried first."""


class FaultPlanted(Sighting, frozen=True, kw_only=True, tag="fault-planted"):
    """A fault that was to be planted took effect, at this step."""

    name: str


class TimelineEnded(Sighting, frozen=True, kw_only=True, tag="timeline-ended"):
    name: str
    seconds: float
    exit_code: int | None
    """None where it did not end by itself, for taking too long or for a reason told below; negative for a signal."""
    message: str = ""
    """The last line of its error output, where it is known."""


class InfluenceMap(msgspec.Struct, frozen=True, kw_only=True):
    """How much the output at each of some places moves when the input at each of them is changed."""

    places: tuple[int, ...]
    """Of examples in their batch, or of positions in their sequence."""
    moved: tuple[tuple[float, ...], ...]
    """By output, then by input, relative to the usual size of the outputs."""


class Dependence(Sighting, frozen=True, kw_only=True, tag="dependence"):
    """What an output was found to depend on, in eval mode."""

    kind: str
    """`examples`: one example's output on the others' inputs; `future`: a position's on later positions; `same`: as
    well, where it is asked for the very ids it is given; `positions`: as well, where that may be wanted; `padding`:
    examples whose output rests on their padding; `width`: those whose output moves when the batch is padded further."""
    site: Site | None
    own: bool
    """It depends on what it should depend on."""
    others: int
    """How many of those it should not depend on."""
    of: int
    map: InfluenceMap | None = None
    operation: str = ""
    """The first torch call that mixes examples, on the line of `site`; "" where it is not known."""
    normalises: bool = False
    """That call scales and shifts all examples alike, by numbers taken from all of them."""
    shares: bool = False
    """What it makes sums to one over the examples, as it is or as logarithms."""
    last: bool = False
    """What it makes is an output."""
    indexes: bool = False
    """That call makes whole numbers, by which something is looked up: places, as a rule."""
    begins: int | None = None
    """The first place of a sequence of outputs that the loss takes; None where it was not found among them."""


class Behaviour(Sighting, frozen=True, kw_only=True, tag="behaviour"):
    """What the model does with its first batch when it is asked again. Differences are relative to the output."""

    site: Site | None
    again: float
    """Between two calls in eval mode with the same inputs."""
    train: float
    """Between train and eval mode."""
    poisoned: int | None
    """Other examples whose output turns NaN when one example's input is NaN; None where that cannot be asked."""


class CustomGradient(Sighting, frozen=True, kw_only=True, tag="custom-gradient"):
    """A hand-written backward, given a gradient and twice that gradient."""

    name: str
    site: Site | None
    ratio: float
    """Of the two results; 2 for every backward that takes account of what it is given."""
