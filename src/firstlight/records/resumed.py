"""Does a run that was broken off and started again go on where it stood?"""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class TrainingState(msgspec.Struct, frozen=True, kw_only=True):
    """What a step begins with, as digests; empty where there is nothing."""

    weights: str
    optimizer: str
    rates: tuple[float, ...]
    round: int | None
    """What the outermost loop counts; None where it counts nothing."""
    random: str


class StateKept(Sighting, frozen=True, kw_only=True, tag="state-kept"):
    """The first step after the first checkpoint, with the files of that moment kept."""

    state: TrainingState
    site: Site | None
    """Where the checkpoint was written."""
    paths: tuple[str, ...]
    holds_optimizer: bool
    loads: tuple[Site, ...]
    """Lines of the program that load a file, and were never reached."""


class StateResumed(Sighting, frozen=True, kw_only=True, tag="state-resumed"):
    """The first step of the program, started once more with those files in place."""

    state: TrainingState
    site: Site | None
    """Where a file was loaded; None where none was."""


class ResumeTried(msgspec.Struct, frozen=True, kw_only=True):
    """Both of them. The fact that checks judge."""

    rank: int = 0
    site: Site | None
    """Where the file is loaded, or what it led to raised."""
    saved: Site | None
    lost: tuple[str, ...]
    """What is another than in the run that went through: `weights`, `optimizer`, `rate`, `round`, `random`."""
    was: int | None
    """The round in the run that went through, and below in the one that was resumed."""
    now: int | None
    crash: str = ""
    """What it raised after the file was read, before its first step."""
