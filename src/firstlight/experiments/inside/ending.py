"""In a copy that goes on until the program ends: hears what it prints, and says that it got there."""

import atexit
import os
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from firstlight.observe.inside.observer import rank
from firstlight.observe.printed import numbers_in
from firstlight.records.steered import EndReached

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

MOST_BYTES = 1 << 20
"""Of the end of what it prints."""


def listen(observer: "Observer") -> Callable[[], object]:
    """To be called before the copy withdraws from the program's files; what is given back, after it."""
    heard = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the process lives
    for descriptor in (1, 2):
        os.dup2(heard.fileno(), descriptor)

    def tell() -> None:
        """Not of one that raised: it did not end by itself."""
        if hasattr(sys, "last_value"):
            return
        sys.stdout.flush()
        sys.stderr.flush()
        size = heard.seek(0, os.SEEK_END)
        heard.seek(max(0, size - MOST_BYTES))
        lines = heard.read().decode("utf-8", "replace").splitlines()
        told = {name: values[-1] for name, values in numbers_in(lines).items()}
        observer.emit(EndReached(step=observer.step, rank=rank(), told=told))

    return lambda: atexit.register(tell)
