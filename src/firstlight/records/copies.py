"""A second model that stands for the one in training: a target network, a moving average."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class CopySeen(Sighting, frozen=True, kw_only=True, tag="copy-seen"):
    """Built like a model in training, and looked at where the program calls it or goes over its weights."""

    model: str
    """The class of both."""
    name: str
    """What the program calls it; empty where that was not found."""
    site: Site | None
    """Where that was first done."""
    looks: int
    steps: int
    """Between the first look and the last."""
    began_equal: bool
    """At the first look, its weights were those that the model in training had had at the beginning, or had then."""
    moved: int
    """Looks at which its weights were not those of the look before."""
    followed: int
    """Looks at which they were, or nearly, where the model in training is or was at the look before."""
    touched: int
    """Looks before which the program wrote to its weights, or went over them as it must to write to them."""
    drift: float
    """How far the model in training went between the first look and the last, as a share of its size."""
    shared: int
    """Weights that are the memory of the model in training, at two looks at least."""
    tensors: int
    statistics: int = 0
    """Running statistics it keeps, in eval mode."""
    stale: int = 0
    """Those that stand where they began while the ones of the model in training moved."""
    called: int = 0
    """Steps before which it was called."""
    mixed_in: float | None = None
    """Share of the way to the model in training that it goes with each update, in the median; None where it does not
    move towards it."""
    planned: int | None = None
    """Updates in the whole program, at the most, where the loops around them say how many rounds they make."""
