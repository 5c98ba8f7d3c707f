"""Our exceptions.

FirstlightError            anything a command turns into a message and an exit code, never a traceback
├── UsageError             what was asked cannot be done as asked (exit 2)
│   └── SettingsError      a configuration file says something we do not understand
├── LogError               an event log or report on disk is not what it should be
├── ArtifactError          an artifact of the guard cannot be written or is not what it should be
└── RedFlagError           the guard ends a training, because `on_red="stop"` asked for it
"""


class FirstlightError(Exception):
    """Carries a message made for a person: what was given, what is accepted, what to do."""


class UsageError(FirstlightError):
    pass


class SettingsError(UsageError):
    pass


class LogError(FirstlightError):
    pass


class ArtifactError(FirstlightError):
    pass


class RedFlagError(FirstlightError):
    pass
