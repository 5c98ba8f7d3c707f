"""Random numbers that begin anew while a model is trained."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class RandomAgain(Sighting, frozen=True, kw_only=True, tag="random-again"):
    """Training calls of one model that found a random state where an earlier one had found it.

    Other states lay between them, so that numbers were drawn and the state was set back.
    """

    model: str
    source: str = "torch"
    """Whose state it is: that of `torch`, of `numpy`, or of Python's `random`."""
    site: Site | None
    """Where the state was last set; None where that was not seen."""
    times: int
    same: int = 0
    """Of them, those at which the model was given what it had been given then."""
    first: int
    """The step at which the state was met, and below, the one at which it was met again."""
    again: int
