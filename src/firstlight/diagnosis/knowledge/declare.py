"""What the knowledge is made of: observations with their likelihoods, experiments, advice, contexts, phrases."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from re import Match


class Level(StrEnum):
    """How likely an observation is under a cause, in words; `chance` gives the number."""

    VERY_LIKELY = "very likely"
    LIKELY = "likely"
    NEUTRAL = "no different"
    UNLIKELY = "unlikely"
    EXCLUDED = "excluded"


VERY_LIKELY = 0.85
LIKELY = 0.5
UNLIKELY = 0.05
EXCLUDED = 0.01
UNLIKELY_SHARE = 0.25
"""An unlikely observation is rarer than on healthy runs, however rare it is there."""
EXCLUDED_SHARE = 0.05


def chance(level: Level, rate: float) -> float:
    """The probability of an observation under a cause, given its rate on healthy runs.

    The levels keep their order around every rate: what is likely is never rarer than usual, and what is unlikely
    never more frequent.
    """
    match level:
        case Level.VERY_LIKELY:
            return max(VERY_LIKELY, (1.0 + rate) / 2.0)
        case Level.LIKELY:
            return max(LIKELY, rate)
        case Level.NEUTRAL:
            return rate
        case Level.UNLIKELY:
            return min(UNLIKELY, rate * UNLIKELY_SHARE)
        case Level.EXCLUDED:
            return min(EXCLUDED, rate * EXCLUDED_SHARE)


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that is seen, or looked for and not seen, or not measured.

    Causes are written as words of one string. `data-*` stands for every cause of that category not named elsewhere in
    the row, `*` for every cause but `unknown`. A cause in no list sees the observation at its usual rate.
    """

    slug: str
    says: str
    rate: float
    """On healthy runs."""
    group: str
    """The measurement it is derived from; two of one group are not independent."""
    very_likely: str = ""
    likely: str = ""
    unlikely: str = ""
    excluded: str = ""

    @property
    def rows(self) -> tuple[tuple[Level, str], ...]:
        return (
            (Level.VERY_LIKELY, self.very_likely),
            (Level.LIKELY, self.likely),
            (Level.UNLIKELY, self.unlikely),
            (Level.EXCLUDED, self.excluded),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Adds causes to the row of an observation that someone else declared."""

    observation: str
    level: Level
    causes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    slug: str
    does: str
    cost: float
    """In units of the baseline's time."""
    yields: tuple[str, ...] = ()
    """The observations it can make. At most one of them is expected to be present."""
    needs: frozenset[str] = field(default_factory=frozenset)
    """Names of what it has to hold: `model`, `batch`, `optimizer`, `loader`..."""
    repairs: str | None = None
    """The cause that it takes away, when it does."""


@dataclass(frozen=True, slots=True)
class Advice:
    cause: str
    falsifier: str
    """The cheapest test that would show the cause is not there."""
    fix: str


@dataclass(frozen=True, slots=True)
class Context:
    """A known property of the program, and what it makes more or less likely before anything is seen."""

    slug: str
    times: tuple[tuple[str, float], ...] = ()
    """Causes (or `loss-*`) and the factor of their prior."""
    gives: tuple[tuple[str, float], ...] = ()
    """Shares of all bugs that causes of a domain take from the rest."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A way of telling a symptom. What lies in the numbers of the text is read by `reads`."""

    pattern: str
    """Compiled once somebody tells a symptom: it takes a tenth of the start of every command."""
    observations: tuple[str, ...] = ()
    reads: Callable[[Match[str]], tuple[str, ...]] | None = None

    def read(self, found: Match[str]) -> tuple[str, ...]:
        return self.observations + (self.reads(found) if self.reads else ())
