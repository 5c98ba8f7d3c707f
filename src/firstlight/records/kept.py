"""Graphs that autograd builds and nobody lets go of."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class GraphsKept(Sighting, frozen=True, kw_only=True, tag="graphs-kept"):
    """Calls of a model on one line, with gradients enabled, and how many of their graphs lived at the same time."""

    site: Site | None
    model: str
    evaluates: bool
    """In eval mode, and no backward went through any of them."""
    calls: int
    """In evaluation, the most of them between two steps."""
    alive: int
    """Most of them at a time; in training, only those of earlier steps."""
    whole: int | None
    """As many as would live in the whole program; None where a loop does not say how many rounds it makes."""
    bytes: int
    """What one of them holds; once a backward went through, the bare graph."""
