"""Whole runs of a program with something varied: what one of them told, and the operations it made."""

import msgspec

from firstlight.records.sighting import Sighting


class TrialSeen(Sighting, frozen=True, kw_only=True, tag="trial"):
    """Said from within, when the program ends."""

    tracked: dict[str, tuple[float, ...]]
    """The last values of what it gave to a tracker, by name."""
    losses: tuple[float, ...]
    """On which `backward` was called last."""
    steps: int
    seeded: tuple[str, ...] = ()
    """By which functions the program seeds its random numbers itself."""
    parts: tuple[str, ...] = ()
    """Of those that can be switched off, the ones it was seen to have."""


class OperationDigests(Sighting, frozen=True, kw_only=True, tag="operations"):
    """Digests of torch's operations, in their order: name, line, digest of the inputs, digest of the outputs."""

    rows: tuple[tuple[str, str, int, int], ...]
    first: int
    """Place of the first row among all operations of the program."""


class FinishedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run that is over."""

    name: str
    seed: int
    values: dict[str, tuple[float, ...]]
    """What it printed or logged, by name, and its training loss."""
    exit_code: int | None = 0
    """None where it took too long."""
    message: str = ""
    seconds: float = 0.0
    steps: int = 0
    seeded: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    operations: tuple[tuple[str, str, int, int], ...] = ()
