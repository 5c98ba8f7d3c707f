"""What was seen inside a model: the shapes that go through it, how its weights move, and what its units do."""

import statistics

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting
from firstlight.records.steered import GroupRate


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """A module as it was called in the first training step."""

    name: str
    kind: str
    inputs: tuple[tuple[int, ...], ...] = ()
    outputs: tuple[tuple[int, ...], ...] = ()
    parameters: int = 0
    """Elements of the parameters it owns itself."""


class ShapesSeen(Sighting, frozen=True, kw_only=True, tag="shapes"):
    """The shapes that went through a root model, in the order in which its modules returned. Judged by no check."""

    model: int
    layers: tuple[Layer, ...]
    left_out: int = 0


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter tensor at one step; root mean squares over its elements."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    gradient: float
    weight: float
    update: float
    still: float
    """Share of its elements with a gradient that the step left exactly as they were."""
    along: float = 0.0
    """Cosine between the step and the gradient: below 0 where the step goes downhill."""
    alike: bool = False
    """All its rows (the units of a layer) are exactly the same, and there are several."""


class WayTaken(Sighting, frozen=True, kw_only=True, tag="way"):
    """How weights moved that the program moves itself, without an optimizer."""

    along: float
    """Cosine between that and the gradient, in the median tensor: below 0 where they went downhill."""


class Movement(Sighting, frozen=True, kw_only=True, tag="movement"):
    """What one step of one optimizer did to its parameters."""

    optimizer: int
    name: str
    built: Site | None
    settings: dict[str, float]
    """Of its first group: `lr`, `momentum`, `beta1`, `beta2`, `eps`, `weight_decay`."""
    tensors: tuple[Moved, ...]
    """At most so many as fit a line, spread over the model from its first layer to its last."""
    groups: tuple[GroupRate, ...] = ()
    """Its parameter groups, where there are several."""

    @property
    def matrices(self) -> list[Moved]:
        return [one for one in self.tensors if len(one.shape) > 1 and one.weight > 0]

    @property
    def pace(self) -> float | None:
        """By what part of its size the step changes a matrix, in the median; None where none was looked at."""
        parts = [one.update / one.weight for one in self.matrices]
        return statistics.median(parts) if parts else None


class Touched(Sighting, frozen=True, kw_only=True, tag="touched"):
    """Weights that something changed after a step of their optimizer and before its next; medians over a few."""

    optimizer: int
    name: str
    built: Site | None
    tensor: str
    """The first of them."""
    change: float
    """How far they were moved, over their size."""
    likeness: float
    """Cosine between what they were and what they are."""
    ratio: float
    """Of their sizes, after over before."""
    own: float
    """How far the last step had moved them, over their size."""
    undone: float = 0.0
    """Share of the elements moved by the last step that are back where they had been before it."""
    format: str = ""
    """The number format, narrower than their own, that holds all of them now and did not before; "" where none does."""
    restored: bool = False
    """All of them are what the first step of the optimizer had found."""
    limit: float = 0.0
    """The largest size among their elements."""
    bounded: float = 0.0
    """Share of their elements that were cut down to that size, or stood there; 0 where nothing was cut down."""
    beyond: float = 0.0
    """Share of the elements that the first step of the optimizer had found at that size or above."""


class EntropySeen(Sighting, frozen=True, kw_only=True, tag="entropy"):
    """The entropy of distributions, computed on one line as a part of the loss; the last record counts."""

    name: str
    """Their class."""
    site: Site | None
    lowered: int
    """Backwards whose gradient makes it smaller, and below, larger."""
    raised: int
    draws: int
    """Times the program drew from any distribution."""


class Erased(Sighting, frozen=True, kw_only=True, tag="erased"):
    """A normalisation layer whose output is the same for every example, although its inputs differ."""

    module: str
    kind: str
    site: Site | None
    shape: tuple[int, ...]
    """Of its input."""
    looks: int
    """In a row; the last record counts."""


class NormStatistics(Sighting, frozen=True, kw_only=True, tag="norm-statistics"):
    """How far the running statistics of a batch norm, used in evaluation, are from those of a batch it trains on.

    Distances are the root mean square over the channels, in deviations of the batch and in logarithms of its variance.
    """

    module: str
    site: Site | None
    batches: int
    """That it has followed."""
    momentum: float | None
    apart: float
    began: float
    """What the distance from this batch would be if they had never moved."""
    between: float = 0.0
    """How far such batches are from one another, by what differs between the halves of this one."""
    varied: bool = True
    """Not all steps were fed the same batch."""


class Units(Sighting, frozen=True, kw_only=True, tag="units"):
    """The outputs of one activation inside a model, over its last looks; the last record counts."""

    order: int
    """Among the activations of a step."""
    kind: str
    """`relu`, `sigmoid`, `tanh`."""
    site: Site | None
    module: str | None
    units: int
    dead: int
    """Never anything but zero for any example (`relu`)."""
    saturated: float
    """Share of outputs within a hundredth of their limits (`sigmoid`, `tanh`)."""
    looks: int
    examples: int
    rose: float = 1.0
    """Times that the learning rate had grown, at its highest, since most of them last answered."""
    answered: bool = False
    """Most of them did at an earlier look: what they are now was made of them in training."""
    pace: float = 0.0
    """The largest part of their size by which a step was seen to change the weights until then, in the median."""
