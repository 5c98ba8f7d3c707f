"""Copies of a program with one fault planted in each, and what a check said of them."""

from enum import StrEnum

import msgspec


class Outcome(StrEnum):
    """Of a planted fault. Only the first two count: the others say nothing about the checks."""

    CAUGHT = "caught"
    MISSED = "missed"
    HARMLESS = "harmless"
    """Nothing was said, and the loss is no worse than without it."""
    CRASHED = "crashed"
    """It ends this program by itself."""
    NOT_APPLICABLE = "not-applicable"
    UNJUDGED = "unjudged"


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    fault: str
    flow: str
    does: str
    causes: tuple[str, ...]
    """Any of these is the right answer."""
    outcome: Outcome
    told: str | None = None
    """What was said of it first, and where; None where nothing was."""
    cause: str | None = None
    """The cause that was named first."""
    right: bool = False
    """It is the one that was planted."""
    reason: str = ""
    """Why it was not caught, or does not count."""
    first: float | None = None
    last: float | None = None
    """The loss of the first step, and the median of the last."""
    seconds: float = 0.0
