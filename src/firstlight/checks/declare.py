"""What a check is: an identity card and a pure function from one fact to evidence; and all that it is written with."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, dataclass_transform, get_type_hints

from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Where, at

__all__ = ["Check", "Evidence", "Found", "NoFact", "NoLimits", "Settable", "Severity", "Where", "at"]

Found = Iterator[Evidence]
"""What a check gives: as much evidence as there is, or none."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Settable:
    """Base of the limits of a check: numbers with names, frozen, which a user may set."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class NoLimits(Settable):
    """For checks whose fact decides by itself."""


class NoFact:
    """Where a card does not name the fact it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    id: str
    name: str = ""
    """The illness, in kebab-case: "allow loss-broadcast" reads as a sentence. It is the name of the file where the card
    gives none."""
    summary: str
    causes: tuple[str, ...]
    """Slugs of the public vocabulary; evidence names one of them, or the first is meant."""
    likely: str
    fix: str
    severity: Severity
    confidence: float
    """How sure a sighting makes us of the cause."""
    find: Callable[[Any, Any], Found]
    needs: type = NoFact
    """The fact: as its signature says, where the card does not."""
    limits: Any = None
    """As its signature says, each at its default, where the card gives none."""
    imposed: Severity | None = None
    """The user's own severity for this check, which nothing overrides."""
    symptom: bool = False
    """It tells that something is wrong, not what: it yields to a finding that names the cause."""
    exhaustive: bool = False
    """It would have seen every form of its first cause in the run: where it is silent, that cause is unlikely. To be
    right whenever it speaks is not enough for that."""
    proven: Severity | None = None
    """For a suspicion: a note until a repair of one of its causes cures a copy of the program, and then this. Where the
    repairs were tried and cured nothing, the suspicion is dropped."""
    repairs: tuple[str, ...] | None = None
    """Experiments that would prove it; None stands for all that repair one of its causes."""
    at_work: str = ""
    """For a check of sources: the one that sees the same illness in a run. Where that ran and found nothing, or was
    switched off, this one keeps quiet about the run; `firstlight lint` asks it all the same."""
    since: str = "0.1"

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.find.__module__.rpartition(".")[2].replace("_", "-"))
        if self.needs is not NoFact and self.limits is not None:
            return
        said = get_type_hints(self.find)
        fact, limits = (said.get(name) for name in list(inspect.signature(self.find).parameters)[:2])
        if self.needs is NoFact:
            object.__setattr__(self, "needs", fact or NoFact)
        if self.limits is None:
            object.__setattr__(self, "limits", (limits or NoLimits)())
