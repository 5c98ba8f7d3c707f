"""Updates that are lost in rounding, one after the other."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class RoundedAway(Sighting, frozen=True, kw_only=True, tag="rounded-away"):
    """Tensors in half precision that a line of the program updates in place, beside the same in full precision."""

    site: Site | None
    operation: str
    dtype: str
    tensors: int
    updates: int
    """Of each, at the most."""
    moved: float
    """How far the updates would have taken them, as a share of their size."""
    missed: float
    """How far from there they are, as a share of that way. Where they should be is rounded once."""
    nearest: float | None = None
    """How near an average comes to what it averages, as a share of its size: then updates are less than half of the
    distance to the next number. None for a sum."""
