"""What a copy of a program that was steered through other rates or other weights saw on its way."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class GroupRate(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter group of an optimizer."""

    rate: float
    """As the program means it: the peak of a schedule, where it has one; in a look at a step, as it was then."""
    tensors: int
    elements: int
    drawn: bool = False
    """Its matrices are as random as freshly drawn ones: nothing that was trained before is in them."""


class RatesSeen(Sighting, frozen=True, kw_only=True, tag="rates"):
    """The learning rates of one optimizer when its first step began."""

    optimizer: str
    groups: tuple[GroupRate, ...]


class EndReached(Sighting, frozen=True, kw_only=True, tag="end-reached"):
    """A copy of the program that was to run as long as the program does ended by itself."""

    told: dict[str, float]
    """The last of the numbers that it printed or logged, by the name before each."""


class TermJoined(Sighting, frozen=True, kw_only=True, tag="term-joined"):
    """The loss is a sum, and one of its terms was taken out of it."""

    terms: int
    """Of the sum, with this one."""
    site: Site | None
    """The line on which it is added to the others."""
    aside: bool = False
    """It is not the task itself: it does not rest on the batch, or another term is a loss of torch's and it is not."""
    averaged: float = 1.0
    """Over how many times as many numbers the only other term is averaged, where this one is a sum over its own."""


class CurvatureSeen(Sighting, frozen=True, kw_only=True, tag="curvature"):
    """How curved the loss is in its steepest direction, as the optimizer sees it, on one batch."""

    top: float | None = None
    """The largest eigenvalue of the Hessian, with what the optimizer divides its steps by divided out."""
    stable: float | None = None
    """The rate above which steps in that direction overshoot by more each time; None where nothing is curved."""
    reason: str = ""
    """Why it could not be measured, where that is so."""


class Fingerprint(msgspec.Struct, frozen=True, array_like=True):
    """What tells the values of two tensors apart, whatever their layout: reshaped or transposed, they stay alike."""

    elements: int
    mean: float
    size: float
    """Root mean square."""
    reach: float
    """The largest absolute value."""


class TapedCall(msgspec.Struct, frozen=True, array_like=True):
    """One torch call behind a loss. Written as an array, because there are hundreds of them."""

    number: int
    operation: str
    site: str
    shape: tuple[int, ...]
    made_from: tuple[int, ...]
    values: Fingerprint


class CallsSeen(Sighting, frozen=True, kw_only=True, tag="calls"):
    """The calls behind the first loss, or a part of them."""

    rows: tuple[TapedCall, ...]


class NamedValues(msgspec.Struct, frozen=True, array_like=True):
    name: str
    shape: tuple[int, ...]
    values: Fingerprint


class ValuesSeen(Sighting, frozen=True, kw_only=True, tag="values"):
    """Tensors of the first step: what the model was fed, gradients, or weights once they were stepped."""

    kind: str
    """`fed`, `gradient` or `stepped`."""
    rows: tuple[NamedValues, ...]


class WeightsTaken(Sighting, frozen=True, kw_only=True, tag="weights-taken"):
    """A model was given the weights of another: how its tensors were matched, and which were not."""

    by_name: int
    by_shape: int
    missing: tuple[str, ...]
    """Of the other model, without a counterpart here."""
    extra: tuple[str, ...]
    """Here, without a counterpart there."""
    batch: bool
    """The first batch was replaced too."""


class LossPlace(msgspec.Struct, frozen=True, array_like=True):
    """A loss function at one place of a grid."""

    value: float
    slopes: tuple[float, ...]
    """Its gradient with respect to the prediction: along x, and along y where both are predicted."""
    finite: bool


class LossCard(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    """`classes`, `numbers` or `yes or no`: what the loss compares."""
    x: str
    y: str
    side: tuple[float, ...]
    rows: tuple[tuple[LossPlace, ...], ...]
    """By y, then by x."""
