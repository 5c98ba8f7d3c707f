"""By which number a program chooses: weights to keep, the moment to lower a rate or to stop."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class Selection(Sighting, frozen=True, kw_only=True, tag="selection"):
    """A number that was held against the best so far, each time that was seen."""

    kind: str
    """What is chosen: `kept` weights, or a `plateau` at which the rate is lowered."""
    site: Site | None
    metric: str
    """The number, as it is written."""
    best: str
    """What it is held against, as it is written."""
    larger: bool
    """A larger number counts as better."""
    measures: str = ""
    """What it was on every occasion: `loss`, `accuracy`, `score`, `error rate`, or one of them `negated`."""
    met: tuple[float, ...] = ()
    """The number, the first times."""
    against: tuple[float, ...] = ()
    """The best so far, at the same times."""
    times: int = 0
    kept: int = 0
    """Times at which it counted as better."""
    noted: bool = False
    """The best so far is set where something better was found, as far as the source says."""
    itself: str = ""
    """The model that is given the name of the best and goes on training, where no copy is made of it."""
