"""What is said between a warm parent and the command that started it."""

import struct

import msgspec

MODULE = "firstlight.experiments.inside.warm"
READY = b"ready\n"
LENGTH = struct.Struct("!I")
"""Goes before an errand, with two descriptors: for what the run prints, and for its process id and exit code."""


class Errand(msgspec.Struct, frozen=True):
    """One run to fork."""

    environment: dict[str, str]
    cwd: str
