"""Forks on purpose."""

import os
import warnings


def fork() -> int:
    """As `os.fork`. Python 3.12 warns of threads, and `-W error` would turn that against the program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
