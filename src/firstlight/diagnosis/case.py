"""What is known about one program. Frozen; every method gives a new case, and the order of its parts has no meaning."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding that names its cause. Claims do not compete: two bugs are both there."""

    cause: str
    confidence: float
    because: str


@dataclass(frozen=True, slots=True)
class Hint:
    """Makes a cause so many times more likely, against all others."""

    cause: str
    ratio: float
    because: str


@dataclass(frozen=True, slots=True)
class Case:
    context: frozenset[str] = frozenset()
    observed: tuple[tuple[str, bool], ...] = ()
    """Observations that were measured: present or absent. What is not here was not measured."""
    claims: tuple[Claim, ...] = ()
    hints: tuple[Hint, ...] = ()
    repairs: tuple[tuple[str, bool], ...] = ()
    """Experiments that stand for a repair, and whether the illness went away."""

    @property
    def empty(self) -> bool:
        return not (self.observed or self.claims or self.hints or self.repairs)

    def given(self, *context: str) -> "Case":
        return replace(self, context=self.context | frozenset(context))

    def observing(self, observations: Mapping[str, bool]) -> "Case":
        """A later measurement of the same thing replaces the earlier one."""
        return replace(self, observed=tuple({**dict(self.observed), **observations}.items()))

    def claiming(self, claims: Iterable[Claim]) -> "Case":
        return replace(self, claims=self.claims + tuple(claims))

    def hinting(self, hints: Iterable[Hint]) -> "Case":
        return replace(self, hints=self.hints + tuple(hints))

    def repairing(self, experiment: str, *, worked: bool) -> "Case":
        return replace(self, repairs=tuple({**dict(self.repairs), experiment: worked}.items()))
