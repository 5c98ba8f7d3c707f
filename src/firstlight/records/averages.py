"""Numbers that an evaluation adds up, and what it divides them by."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class Averaged(Sighting, frozen=True, kw_only=True, tag="averaged"):
    """On one line a sum over an evaluation was divided, every time that was seen in the same way."""

    site: Site | None
    what: str
    """What was added up: `right answers`, `shares of right answers`, `losses` or other `scores`."""
    of_batches: bool
    """One number of each batch was added up, its mean; else one of each example."""
    of_last: bool = False
    """No sum after all: what the last batch gave, alone."""
    by: int
    """What the sum was divided by, the last time, and below what it was a sum of."""
    batches: int
    examples: int
    unequal: bool
    """The batches are not all of one size."""
    value: float
    """What came of it, and below what would have come of the mean over all examples."""
    meant: float
    times: int
    sure: bool
    """Seen often enough, or with numbers so odd, that it is not by chance that the sum is the one it seems to be."""
