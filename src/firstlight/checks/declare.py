"""What a check is: an identity card and a pure function from one fact to evidence."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from firstlight.records.finding import Evidence, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class NoLimits:
    """For checks whose fact decides by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    id: str
    name: str
    """The illness, in kebab-case: "allow loss-broadcast" reads as a sentence."""
    summary: str
    causes: tuple[str, ...]
    """Slugs of the public vocabulary; evidence names one of them, or the first is meant."""
    likely: str
    fix: str
    severity: Severity
    confidence: float
    """How sure a sighting makes us of the cause."""
    needs: type
    find: Callable[[Any, Any], Iterator[Evidence]]
    limits: Any = field(default_factory=NoLimits)
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
