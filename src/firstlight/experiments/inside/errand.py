"""What is said between a warm parent and the command that started it."""

import struct

import msgspec

MODULE = "firstlight.experiments.inside.warm"
READY = b"ready\n"
LENGTH = struct.Struct("!I")
"""Goes before an errand, with descriptors: for what the run prints, for its keeper two, and for its process id."""
DESCRIPTORS = 4


class Errand(msgspec.Struct, frozen=True):
    """One run to fork."""

    environment: dict[str, str]
    cwd: str
    words: tuple[str, ...]
    """The script and its arguments."""
