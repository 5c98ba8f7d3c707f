"""The tape as it is written down, and the places where a flow through it breaks."""

import msgspec

from firstlight.records.facts import Ranked
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


class TapeSeen(Sighting, frozen=True, kw_only=True, tag="tape"):
    """The rows behind one backward, or a part of them: a long tape takes several records."""

    site: Site | None
    """The backward."""
    part: int
    batch: int
    """Examples in it, as far as the answers tell."""
    fed: int
    """How many examples the network was fed that differ from one another."""
    files: tuple[str, ...]
    predictions: tuple[int, ...]
    """Rows whose outputs meet answers."""
    rows: tuple[TapeRow, ...]


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


class FreeSeen(Sighting, frozen=True, kw_only=True, tag="free"):
    """How low the loss gets over free predictions: what its answers allow, whatever the model."""

    free: float


class TermSeen(Sighting, frozen=True, kw_only=True, tag="silent-term"):
    """A term of the loss that rests on trained tensors and carries no gradient."""

    operation: str
    site: Site | None
    """The call that was given a gradient and passed none on."""
    added: Site | None
    """Where it joins the others."""
    value: float
    loss: float


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A call on the tape."""

    operation: str
    site: Site | None


class Reach(Ranked, frozen=True, kw_only=True):
    """The last look at one activation before the answers."""

    activation: Place
    meeting: Place
    """The next call that uses its values."""
    looks: int
    step: int
    loss: float
    free: float
    bound: float


class SilentTerm(Ranked, frozen=True, kw_only=True):
    """A term without gradient, and at how many of the looks it was there."""

    cut: Place
    """Where the gradient ends."""
    added: Site | None
    times: int
    looks: int
    step: int
    value: float
    """At the last look, and the loss beside it."""
    loss: float


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
