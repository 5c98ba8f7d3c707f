"""Our exceptions.

FirstlightError            anything a command turns into a message and exit code 2, never a traceback
├── UsageError             what was asked cannot be done as asked
│   ├── SettingsError      a configuration file says something we do not understand
│   ├── UnreadableError    a file cannot be read, or is none: a link, a pipe, too large
│   └── PlaceError         there is no place for the directory of a run
├── LogError               an event log cannot be written, or is none
├── SchemaError            a data frame is not what a stage of the pipeline needs
├── ArtifactError          an artifact of the guard cannot be written or is not what it should be
└── RedFlagError           the guard ends a training, because `on_red="stop"` asked for it
"""


class FirstlightError(Exception):
    """Carries a message made for a person: what was given, what is accepted, what to do."""


class UsageError(FirstlightError):
    pass


class SettingsError(UsageError):
    pass


class PlaceError(UsageError):
    pass


class UnreadableError(UsageError):
    pass


class LogError(FirstlightError):
    pass


class SchemaError(FirstlightError, ValueError):
    """Everything the message says is also here, for programs."""

    stage: str
    missing: tuple[str, ...] = ()
    available: tuple[str, ...] = ()
    nearest: dict[str, str]
    """For a missing name, the one it was most likely meant to be."""
    faults: tuple[str, ...] = ()
    """What is wrong with columns that are there, a sentence each."""
    shape: tuple[int, int] = (0, 0)
    index: tuple[str, ...] = ()
    """Names of the index levels; they count as columns."""
    site: object = None
    """File and line of the caller, a `firstlight.records.places.Site`."""


class ArtifactError(FirstlightError):
    pass


class RedFlagError(FirstlightError):
    pass
