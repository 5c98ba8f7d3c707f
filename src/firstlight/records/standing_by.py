"""Parameters that an optimizer was given and that take no gradient while it steps."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting, Some


class GroupFrozen(Sighting, frozen=True, kw_only=True, tag="group-frozen"):
    """One of several groups of an optimizer: frozen whenever it stepped, and in the whole of the program.

    Told only where no round that a rehearsal leaves out can thaw it.
    """

    optimizer: str
    built: Site | None
    """Where the optimizer was made."""
    site: Site | None
    """The line that froze the group, the last time that one did."""
    parameters: Some
    rate: float
    steps: int
    """Of the optimizer, each with the group frozen."""
    test: str = ""
    """What keeps it frozen on that line, in the program's own words: the same in the first round of its loop and in the
    last. Empty where no loop counts up to it."""
