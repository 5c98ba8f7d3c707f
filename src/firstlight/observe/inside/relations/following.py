"""What each line of the program does to an example while a dataset reads it: the values before, and those after.

The lines of the user's own functions are followed, and calls into libraries that are given an example and return one.
Nothing is known of what they do; where they draw, they do it to some examples and not to others.
"""

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.relations.kept_rows import is_array
from firstlight.observe.inside.relations.sample import MOST_PLACES, flat
from firstlight.observe.inside.relations.stored import IMAGE
from firstlight.records.places import Site

LEAST_VALUES, MOST_VALUES = 8, 1 << 18
"""Of an example."""
MOST_SERIES = 1 << 14
"""Values kept of a series; of an image its averages are."""
MOST_HELD = 1 << 24
"""Values kept of all examples: 64 MB."""
MOST_STEPS = 24
SECONDS = 0.8
"""Of computing, for all that is read."""
WORDS = 1 << 16
COLOURS = (3, 4)
SERIES = 1


class ExampleKind(NamedTuple):
    ids: bool
    """It is a row of whole numbers, or of words."""
    shape: tuple[int, ...]

    @property
    def series(self) -> bool:
        return not self.ids and len(self.shape) == SERIES


class Looked(NamedTuple):
    """An example at one moment, small enough to be kept."""

    kind: ExampleKind
    values: torch.Tensor


class Became(NamedTuple):
    """An example before and after, of one kind."""

    before: Looked
    after: Looked

    @property
    def other(self) -> bool:
        return not torch.equal(self.before.values, self.after.values)


@dataclass
class Step:
    """A line, or a call from it, and what it did to each example that came there."""

    site: Site | None
    name: str
    kind: ExampleKind
    rows: list[int] = field(default_factory=list)
    made: list[Became] = field(default_factory=list)


class ReadingFollowed:
    """Called by Python at each line while examples are read."""

    def __init__(self) -> None:
        self.steps: dict[tuple[Any, ...], Step] = {}
        self.firsts: dict[ExampleKind, dict[int, Looked]] = {}
        """How each example looked where it was seen first, by kind and row."""
        self.row = -1
        self.held = 0
        self._end = time.process_time() + SECONDS

    @property
    def spent(self) -> bool:
        return time.process_time() > self._end or self.held > MOST_HELD

    def __call__(self, frame: Any, event: str, _: Any) -> "Callable[..., Any] | None":
        if self.spent:
            return None
        if sites.is_users(frame.f_code.co_filename):
            return LinesRun(self, frame)
        given = next((one for one in frame.f_locals.values() if _is_example(one)), None)
        before = None if given is None else looked_at(given)
        if before is None:
            return None
        frame.f_trace_lines = False
        return LibraryCall(self, before)

    def first(self, found: Looked) -> None:
        self.firsts.setdefault(found.kind, {}).setdefault(self.row, found)

    def note(self, key: tuple[Any, ...], name: str, pair: Became, at: tuple[Any, int]) -> None:
        if self.spent or (key not in self.steps and len(self.steps) >= MOST_STEPS):
            return
        if key not in self.steps:
            self.steps[key] = Step(sites.site_of(at[0].f_code.co_filename, at[1]), f"`{name}`", pair.before.kind)
        step = self.steps[key]
        if pair.before.kind == step.kind:
            step.rows.append(self.row)
            step.made.append(pair)
            self.held += 2 * pair.before.values.numel()


class LibraryCall:
    def __init__(self, followed: ReadingFollowed, before: Looked) -> None:
        self.followed, self.before = followed, before

    def __call__(self, frame: Any, event: str, value: Any) -> "LibraryCall":
        if event == "return" and (after := _like(self.before, value)) is not None and (at := _users(frame)):
            key = frame.f_code, at.f_code.co_filename, at.f_lineno
            self.followed.note(key, frame.f_code.co_qualname, Became(self.before, after), (at, at.f_lineno))
        return self


class LinesRun:
    """One call of a function of the user's."""

    def __init__(self, followed: ReadingFollowed, frame: Any) -> None:
        self.followed = followed
        self._line = frame.f_lineno
        self._known: dict[str, Looked] = {}
        self._last: Looked | None = None
        self._look(frame)

    def __call__(self, frame: Any, event: str, value: Any) -> "LinesRun":
        if event == "line":
            self._look(frame)
            self._line = frame.f_lineno
        elif event == "return":
            self._look(frame)
            before = self._last
            after = None if before is None else _like(before, value)
            if before is not None and after is not None:
                self._note(Became(before, after), frame)
        return self

    def _look(self, frame: Any) -> None:
        for name, value in list(frame.f_locals.items()):
            if not _is_example(value):
                continue
            was, now = self._known.get(name), looked_at(value)
            pair = Became(was, now) if was is not None and now is not None and was.kind == now.kind else None
            if now is None or (pair is not None and not pair.other):
                continue
            self.followed.first(now)
            self._known[name] = self._last = now
            if pair is not None:
                self._note(pair, frame)

    def _note(self, pair: Became, frame: Any) -> None:
        key = frame.f_code.co_filename, self._line
        self.followed.note(key, frame.f_code.co_name, pair, (frame, self._line))


def _users(frame: Any) -> Any:
    while frame is not None and not sites.is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _is_example(value: Any) -> bool:
    if isinstance(value, list):
        return LEAST_VALUES <= len(value) <= MOST_SERIES and type(value[0]) in (int, float, str)
    if isinstance(value, torch.Tensor) or type(value).__name__ == "ndarray":
        return is_array(value)
    return hasattr(value, "getbands") and hasattr(value, "tobytes")


def looked_at(value: Any) -> Looked | None:
    try:
        return _looked_at(value)
    except Exception:  # whatever is still being made may have none of its parts yet
        return None


def _looked_at(value: Any) -> Looked | None:
    tensor = _tensor(value)
    if tensor is None or not LEAST_VALUES <= tensor.numel() <= MOST_VALUES:
        return None
    tensor = tensor.detach().squeeze()
    if tensor.ndim == SERIES and tensor.dtype in (torch.int64, torch.int32):
        values = torch.nn.functional.pad(tensor.float(), (0, MOST_PLACES))[:MOST_PLACES]
        return Looked(ExampleKind(True, (MOST_PLACES,)), values)
    if not 1 <= tensor.ndim <= IMAGE + 1:
        return None
    if tensor.ndim == SERIES and len(tensor) <= MOST_SERIES:
        return Looked(ExampleKind(False, tuple(tensor.shape)), tensor.to("cpu", torch.float32, copy=True))
    colours = tensor.ndim > IMAGE and tensor.shape[-1] in COLOURS
    channels = tensor.movedim(-1, 0) if colours else tensor
    values = flat(channels.reshape(1, -1, *channels.shape[-2:]) if channels.ndim > SERIES else channels[None])[0]
    return Looked(ExampleKind(False, tuple(tensor.shape)), values)


def _tensor(value: Any) -> torch.Tensor | None:
    if isinstance(value, torch.Tensor):
        return value if reading.readable(value) else None
    if isinstance(value, list):
        if all(type(one) is str for one in value):
            return torch.tensor([zlib.crc32(one.encode()) % WORDS for one in value])
        return torch.tensor(value) if all(type(one) in (int, float) for one in value) else None
    if hasattr(value, "getbands"):
        bytes_of = torch.frombuffer(bytearray(value.tobytes()), dtype=torch.uint8)
        bands = len(value.getbands())
        whole = bytes_of.numel() == value.height * value.width * bands
        return bytes_of.reshape(value.height, value.width, bands) if whole else None
    return torch.as_tensor(value.copy())


def _like(before: Looked, value: Any) -> Looked | None:
    """What a call returns of the kind that it was given, alone or beside answers."""
    several = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
    for one in several:
        found = looked_at(one) if _is_example(one) else None
        if found is not None and found.kind == before.kind:
            return found
    return None
