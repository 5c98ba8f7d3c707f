"""Models that are trained and let go of."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class GivenUp(Sighting, frozen=True, kw_only=True, tag="given-up"):
    """One line came to models of the same shapes again and again, with optimizers that are set alike. No two lived at a
    time, and the last of them is used."""

    model: str
    site: Site | None
    """Where it, or its optimizer, is made, as seen from the function that trains it."""
    optimizer: str
    lives: tuple[int, ...]
    """Steps of each that was gone when the next one made its first, and that nobody had asked, read or kept."""
    used: int
    """Others, that somebody had."""
