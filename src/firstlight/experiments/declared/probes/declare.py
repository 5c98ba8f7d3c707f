"""What a probe of a declared experiment is: what it asks, which facts it makes, which pieces it needs, its time.

Free of torch; the functions are imported in the process that runs them.
"""

from dataclasses import dataclass
from typing import Literal

PROFILES = ("quick", "standard", "deep")
SMALLER = "use a smaller batch or model for the check"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    name: str
    asks: str
    makes: tuple[type, ...]
    needs: tuple[str, ...] = ("data",)
    """Pieces of the declaration, all of them; `a|b` takes either. `data` is `train` or `batch`."""
    function: str = ""
    """`module:function` below this package, which takes a `Bench`; both are named after the probe where it is empty."""
    typical_seconds: float
    """For a small model on a CPU."""
    most_seconds: float
    """It is ended after so many."""
    action: str = SMALLER
    """What to do where it takes too long."""
    since: Literal["quick", "standard", "deep"] = "quick"
    """The smallest profile it belongs to."""
    alone: bool = False
    """It changes its whole process, so it runs in a forked copy or not at all."""

    def lacks(self, given: frozenset[str]) -> tuple[str, ...]:
        return tuple(need for need in self.needs if not set(need.split("|")) & given)

    def within(self, profile: str) -> bool:
        return PROFILES.index(self.since) <= PROFILES.index(profile)
