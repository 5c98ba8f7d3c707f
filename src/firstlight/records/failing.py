"""Models that raise while a program goes on."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class Failing(Sighting, frozen=True, kw_only=True, tag="failing"):
    """Training calls of one class of models; the last record counts."""

    module: str
    site: Site | None
    """Of the first call that raised."""
    failed: int
    returned: int
    error: str
    """The first."""
