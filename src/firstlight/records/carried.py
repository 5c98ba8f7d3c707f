"""A score of one evaluation that earlier ones are a part of."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class ScoreCarried(Sighting, frozen=True, kw_only=True, tag="score-carried"):
    """On one line a score was made, each time of what several evaluations of one model gave, with steps in between."""

    site: Site | None
    of_examples: bool
    """Examples were counted; else numbers taken of the answers and targets of each batch were added up."""
    counted: float
    """What the score was made of, the last time, and below how much of it this evaluation gave."""
    own: float
    evaluations: int
    """That went into it."""
    times: int
