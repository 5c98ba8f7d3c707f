"""Parameters that hold each other where they are."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting, Some


class StuckAtZero(Sighting, frozen=True, kw_only=True, tag="stuck-at-zero"):
    """Tensors of one optimizer that were exactly zero, with a gradient of exactly zero, at every step of it."""

    optimizer: str
    site: Site | None
    """Where the first of them was made a part of a model; else where the optimizer was built."""
    steps: int
    stuck: Some
    others: int
    """Tensors of the same optimizer that are not."""
    nudged: str | None = None
    """The one that was moved off zero for the length of a step, so that others of them got a gradient."""
    woken: Some = Some()
    """Those."""
