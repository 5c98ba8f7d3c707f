"""First contact with a declared experiment: what its pieces do when they are used for the first time."""

import msgspec

from firstlight.records.declared.fact import DeclaredFact
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard


class Stumble(DeclaredFact, frozen=True, kw_only=True, tag="stumble"):
    """A piece of the experiment raised when it was used, or gave something that cannot be used."""

    piece: str
    """Of the declaration: `model`, `train`, `val`, `batch`, `loss`, `step`, `optimizer`, `scheduler`, …"""
    doing: str
    """What was being done with it, in words."""
    error: str
    """Type of the exception; empty where nothing was raised."""
    message: str
    site: Site | None = None
    """The user's line, innermost."""
    module: str | None = None
    """The module whose `forward` raised, by its path in the model."""
    given: str = ""
    """What that module was given, against what it takes."""
    memory: bool = False
    """It ran out of memory."""


class Built(DeclaredFact, frozen=True, kw_only=True, tag="built"):
    """The model, built twice and called once."""

    model: str
    seconds: float
    tensors: int
    elements: int
    trainable: int
    same_again: bool
    """A second build has the same names and shapes."""
    shared: bool
    """The factory gave the same module again instead of a new one."""
    devices: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    site: Site | None = None


class Output(DeclaredFact, frozen=True, kw_only=True, tag="output"):
    """What the model gave for one real batch."""

    examples: int | None
    """Rows of the batch."""
    inputs: tuple[TensorCard, ...]
    outputs: tuple[TensorCard, ...]
    target: TensorCard | None
    loss: TensorCard | None
    """What the loss function gave; None where there is none."""
    watched: bool = False
    """The experiment is trained under observation as well."""
    site: Site | None = None


class SizeTried(msgspec.Struct, frozen=True, kw_only=True):
    """One call with so many of the batch's examples."""

    examples: int
    comes: str
    """Which batch has this size, in words; empty where none has."""
    error: str = ""
    shape: tuple[int, ...] | None = None
    """Of the output; None where it raised, or is not known."""
    module: str | None = None
    site: Site | None = None


class SizesTried(DeclaredFact, frozen=True, kw_only=True, tag="sizes-tried"):
    """The same batch with fewer of its examples."""

    usual: int
    shape: tuple[int, ...] | None
    """Of the output for all of them."""
    tried: tuple[SizeTried, ...]
    site: Site | None = None


class ProbeEnded(DeclaredFact, frozen=True, kw_only=True, tag="probe-ended"):
    """How long one probe took, against what it usually takes."""

    name: str
    seconds: float
    typical_seconds: float
    most_seconds: float
    overran: bool
    """It was ended for taking longer than it may."""
    action: str
    """What to do about one that takes too long."""
    fault: str = ""
    """It failed through a fault of our own."""
