"""In a copy that goes on until the program ends: hears what it prints and logs, and says that it got there."""

import atexit
import os
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from firstlight.experiments.inside import tracked
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.taps.dealings import tell_returns
from firstlight.observe.printed import numbers_in
from firstlight.records.steered import EndReached

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

MOST_BYTES = 1 << 20
"""Of the end of what it prints."""


class LastLogged(tracked.Numbers):
    """Of each number that is logged the mean over one stretch without a step: an evaluation logs batch by batch.

    What is logged at one step after the other is told of single batches of training, and left out.
    """

    def __init__(self, observer: "Observer") -> None:
        super().__init__()
        self._observer = observer
        self._at: dict[str, int] = {}
        self._each_step: set[str] = set()

    def one(self, name: Any, value: Any) -> None:
        step, before = self._observer.step, self._at.get(str(name))
        if before != step:
            self._found.pop(str(name), None)
        if before == step - 1:
            self._each_step.add(str(name))
        self._at[str(name)] = step
        super().one(name, value)

    def means(self) -> dict[str, float]:
        return {name: sum(values) / len(values) for name, values in self._found.items() if name not in self._each_step}


def listen(observer: "Observer") -> Callable[[], object]:
    """To be called before the copy withdraws from the program's files; what is given back, after it."""
    logged = LastLogged(observer)
    tracked.follow(logged)
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
        told = logged.means() | {name: values[-1] for name, values in numbers_in(lines).items()}
        tell_returns(observer, to_end=True)
        observer.emit(EndReached(step=observer.step, rank=rank(), told=told))

    return lambda: atexit.register(tell)
