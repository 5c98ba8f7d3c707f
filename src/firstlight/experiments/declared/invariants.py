"""What the user says must hold of a tensor inside the model or of a metric, looked at on real batches.

An invariant is written as a comparison over what is there:

- a range: `64 <= min and max <= 400`; spread: `std > 0.01 * abs(mean)`; `finite`
- probabilities: `min >= 0 and close(row_sum_low, 1, 1e-3) and close(row_sum_high, 1, 1e-3)`
- a relation to another tensor: `max <= at("budget", min)`
- monotone over looks: `value >= previous(value)`; never changing: `sum == first(sum)`; always: `sum != previous(sum)`
- bounded drift: `abs(mean - usual(mean)) <= 6 * spread(mean)`
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from firstlight.errors import UsageError
from firstlight.experiments.declared.conditions import (
    ELSEWHERE,
    FUNCTIONS,
    NAMES,
    OVER_TIME,
    RECENT,
    SETTLED,
    SIZES,
    Look,
    TooEarlyError,
    over_time,
    parsed,
    places,
    value,
)

MOST_CHARACTERS = 500


@dataclass(frozen=True, kw_only=True)
class Invariant:
    """`Invariant(name="token_budget", on="attend", check="64 <= min and max <= 400")`."""

    name: str
    on: str
    """A module by its path (its output), with a key or index where that is a tree: `know[participatory]`; `output`,
    `loss`, `target`, `input`, or a parameter's name."""
    check: str
    severity: Literal["error", "warning", "note"] = "error"

    def __post_init__(self) -> None:
        if self.severity not in ("error", "warning", "note"):
            raise UsageError(
                f"Invariant {self.name}: `severity` is {self.severity!r}; it takes error, warning or note."
            )
        _understood(self)

    @classmethod
    def of(cls, given: Any) -> "Invariant":
        """From the mapping form."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise UsageError(f"an invariant is a {type(given).__name__}; it takes firstlight.Invariant or a mapping.")
        unknown = set(given) - {"name", "on", "check", "severity"}
        missing = {"name", "on", "check"} - set(given)
        if unknown or missing:
            wrong = f"has {', '.join(sorted(unknown))}" if unknown else f"lacks {', '.join(sorted(missing))}"
            raise UsageError(f"an invariant {wrong}; it takes name, on, check and severity.")
        return cls(**given)

    @property
    def places(self) -> frozenset[str]:
        """Everything that must be measured to judge it."""
        return places(parsed(self.check)) | {self.on}

    @property
    def over_time(self) -> bool:
        """It compares looks with earlier ones."""
        return over_time(parsed(self.check))

    def holds(self, values: Mapping[str, float]) -> bool:
        """Of one look by itself; what would need earlier ones holds."""
        return Watch(self).holds({self.on: values})


@dataclass
class Watch:
    """One invariant, look after look."""

    invariant: Invariant
    _earlier: list[Mapping[str, float]] = field(default_factory=list)

    def holds(self, seen: Mapping[str, Mapping[str, float]]) -> bool:
        """`seen` has what was measured of every place that the invariant speaks of. Too early to tell is True."""
        values = seen[self.invariant.on]
        try:
            found = bool(value(parsed(self.invariant.check), Look(values, self._earlier, seen)))
        except TooEarlyError:
            found = True
        self._earlier = [*self._earlier[:1], *self._earlier[1:][-RECENT + 1 :], values]
        return found


def _understood(invariant: Invariant) -> None:
    given: Any = invariant.check
    if not isinstance(given, str):
        raise UsageError(
            f"Invariant {invariant.name}: `check` is a {type(given).__name__}; it takes a comparison as text, such as "
            '"0 <= min and max <= 1", so that it can be written down and shown.'
        )
    told = f"Invariant {invariant.name}: `check` is {invariant.check!r}"
    if len(invariant.check) > MOST_CHARACTERS:
        raise UsageError(f"{told[:100]}…: longer than {MOST_CHARACTERS} characters.")
    ones = dict.fromkeys((*NAMES, *SIZES), 1.0)
    try:
        node = parsed(invariant.check)
        value(node, Look(ones, [ones] * SETTLED, dict.fromkeys(places(node), ones)))
    except SyntaxError:
        raise UsageError(f"{told}, which is no comparison such as `0 <= min and max <= 1`.") from None
    except (KeyError, TypeError) as error:
        names = ", ".join((*NAMES, *SIZES, *FUNCTIONS, *OVER_TIME, ELSEWHERE))
        raise UsageError(f"{told}; {error.args[0]} is not understood. It takes {names}.") from None
