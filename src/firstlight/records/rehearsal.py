"""The whole program, shortened: what was seen from inside, how it ended, and what both amount to."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class LoopSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A loop of the user's that trains."""

    site: Site
    passes: int
    """How often it was entered and trained."""
    rounds: int
    """Most of them in one pass."""
    planned: int | None
    """Rounds it would have made by itself; None where nobody knows."""
    outer: bool
    """It trains by way of another loop."""


class FileWritten(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    size: int
    """In bytes."""


class ScheduleBreaks(Sighting, frozen=True, kw_only=True, tag="schedule-breaks"):
    """A schedule of the learning rate raises before the whole program has stepped it as often as it will."""

    schedule: str
    site: Site | None
    """Where it is stepped."""
    at: int
    """Steps it takes."""
    expected: int
    """Steps the whole program makes of it."""
    message: str


class ScheduleAhead(Sighting, frozen=True, kw_only=True, tag="schedule-ahead"):
    """A schedule of the learning rate as the whole run will see it, and as it was planned: it was asked on a copy."""

    schedule: str
    site: Site | None
    """Where it is stepped, or made where a library steps it."""
    ticks: int
    """Steps the whole program makes of it, at the most."""
    steps: int | None
    """Of the optimizers, in the whole program."""
    certain: bool
    """The loops around it make all their rounds: none can be left early."""
    first: float
    highest: float
    """Rate within those steps."""
    last: float
    peak: float | None
    """The highest rate it comes to if it is stepped on and on; None where it rises without end."""
    peak_after: int
    length: int | None
    """Steps after which it has come to its lowest rate behind the peak, or is over; None where it falls without end."""
    outer: tuple[int, ...] = ()
    """Rounds that the loops around it make, all but the innermost."""
    swings: int
    """Times that it rises again within the run."""


class Shortened(Sighting, frozen=True, kw_only=True, tag="shortened"):
    """Told by a process of the rehearsal when it ends, by itself or because its time was over."""

    ended: str
    """`exit` or `time`."""
    site: Site | None = None
    """The user's line that was running when the time was over."""
    epochs: int = 0
    evaluations: int = 0
    checkpoints: int = 0
    loops: tuple[LoopSeen, ...] = ()
    files: tuple[FileWritten, ...] = ()
    written: int = 0
    """Bytes of all files, those that are not named included."""
    full_seconds: float | None = None
    """What the whole program would take; None where a loop does not say how many rounds it makes."""
    planned_steps: int | None = None
    """Optimizer steps of the whole program, at the most; None where a loop does not say how many rounds it makes."""
    peak_bytes: int = 0
    tracked: dict[str, tuple[float, ...]]
    """Numbers given to a tracker, by name."""


class RehearsalEnded(Sighting, frozen=True, kw_only=True, tag="rehearsal-ended"):
    """One attempt, as seen from outside."""

    seconds: float
    exit_code: int | None
    """None where it was ended from outside; negative for a signal."""
    message: str = ""
    site: Site | None = None
    """The user's line in the traceback, innermost."""
    trace: tuple[Site, ...] = ()
    """All of the user's lines in it, outermost first."""
    source: str = ""
    """The text of that line."""
    given_elsewhere: bool = False
    """The file sets the name that the error says does not exist, on a line that was not reached."""
    printed: dict[str, tuple[float, ...]]
    """Numbers it printed, by the name before them."""


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """What a rehearsal came to. The fact that checks judge."""

    reached_end: bool
    crashed: bool = False
    own: bool = False
    """The crash is the program's, and cannot come from having been shortened."""
    asks: bool = False
    """It stopped where it asks somebody at the keyboard: copies are run without one."""
    message: str = ""
    site: Site | None = None
    """Where it stopped."""
    trace: tuple[Site, ...] = ()
    seconds: float = 0.0
    steps: int = 0
    epochs: int = 0
    evaluations: int = 0
    checkpoints: int = 0
    breaks: tuple[ScheduleBreaks, ...] = ()
    files: tuple[FileWritten, ...] = ()
    written: int = 0
    full_seconds: float | None = None
    planned_steps: int | None = None
    full_bytes: int | None = None
    """A guess of what the whole program will have written."""
    peak_bytes: int = 0
    curves: dict[str, tuple[float, ...]] = {}
    """Numbers the program tells of itself, by name: given to a tracker, or printed."""
