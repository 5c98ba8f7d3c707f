"""Exceptions that the program swallows after a backward, so that no step follows it.

Looked for only once gradients were seen to go unused, and a few times only: Python tells of an exception to a trace
function, which costs too much to be on all the time. Programs that are traced by something else are left alone.
"""

import sys
from collections import Counter
from types import FrameType
from typing import Any

from firstlight.observe.inside import sites
from firstlight.records.places import Site
from firstlight.records.program import Swallowed

MOST_LOOKS = 8
EXPECTED = (StopIteration, StopAsyncIteration, GeneratorExit)
"""How loops end."""


class Swallows:
    """From a backward to the next batch, call of a model, step or backward; the program went on after all of them."""

    def __init__(self) -> None:
        self._looks = 0
        self._looking = False
        self._raised: tuple[str, Site | None] | None = None
        self._found: Counter[tuple[str, Site | None]] = Counter()
        self._traced: list[FrameType] = []

    def look(self) -> None:
        """A backward has ended, and the gradients of earlier ones were not used."""
        if self._looks >= MOST_LOOKS or self._looking or sys.gettrace() is not None:
            return
        self._looks += 1
        self._looking, self._raised = True, None
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if sites.is_users(frame.f_code.co_filename) and frame.f_trace is None:
                frame.f_trace, frame.f_trace_lines = self._heard, False
                self._traced.append(frame)
            frame = frame.f_back
        sys.settrace(self._called)

    def stop(self, *_: Any) -> None:
        if not self._looking:
            return
        self._looking = False
        sys.settrace(None)
        for frame in self._traced:
            frame.f_trace, frame.f_trace_lines = None, True
        self._traced.clear()

    def lost(self) -> None:
        """The gradients of the backward before went unused."""
        if self._raised is not None:
            self._found[self._raised] += 1
            self._raised = None

    def told(self) -> Swallowed | None:
        if not self._found:
            return None
        (error, site), times = self._found.most_common(1)[0]
        return Swallowed(error=error, site=site, times=times, looks=self._looks)

    def _called(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        if not sites.is_users(frame.f_code.co_filename):
            return None
        frame.f_trace_lines = False
        return self._heard

    def _heard(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception" and self._raised is None and not issubclass(argument[0], EXPECTED):
            site = sites.site_of(frame.f_code.co_filename, frame.f_lineno)
            self._raised = f"{argument[0].__name__}: {argument[1]}"[:200], site
        return self._heard
