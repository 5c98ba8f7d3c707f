"""A cause that no single check names, and that everything known together points at."""

from firstlight.records.facts import Ranked
from firstlight.records.places import Site


class Inferred(Ranked, frozen=True, kw_only=True):
    cause: str
    meaning: str
    probability: float
    proven: str | None
    """What was tried on a copy of the program and cured it, in words; None where nothing was."""
    supported_by: tuple[str, ...]
    """Observations, in words."""
    site: Site | None
    fix: str
    stands_still: bool
    """The program shows no sign of learning."""
