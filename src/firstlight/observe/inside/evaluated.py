"""Evaluations, each by itself: what is evaluated from one place of the program, out of one loader.

A program that measures its training set beside the other, or everything at the end, does so at another line or with
another loader. What it calls the data says what they are meant to be: nobody names a training set `test_loader`.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.surroundings import MOST_NAMES
from firstlight.records.feed import PartEvaluated
from firstlight.records.places import Site

MOST_PARTS = 16
"""A program that evaluates at more places is a search; those that come later are not kept apart."""
MOST_FRAMES = 8
MOST_EXAMPLES = 100_000
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
HELD_OUT = frozenset({"val", "valid", "validation", "test", "testing", "dev", "heldout", "holdout", "held"})
OTHERWISE = frozenset({"train", "training", "batch", "sample", "samples"})
"""Words of a name by which it is the training set, or a few examples to look at."""


class PartSeen:
    """The examples of one evaluation, by their keys."""

    def __init__(self, number: int, site: Site | None, name: str) -> None:
        self.number, self.site, self.name = number, site, name
        self.judged: set[int] = set()
        self.shared: set[int] = set()
        self.covered: set[int] = set()

    def add(self, found: set[int], trained: set[int], pure: bool) -> None:
        """Where it has the name of held-out data, batches of the training set alone count like any other."""
        if len(self.judged) < MOST_EXAMPLES:
            self.covered |= trained
            if self.name or not pure:
                self.judged |= found
                self.shared |= trained

    def record(self, probes: set[int]) -> PartEvaluated:
        return PartEvaluated(
            site=self.site,
            name=self.name,
            judged=len(self.judged - probes),
            shared=len(self.shared - probes),
            covered=len(self.covered),
        )


class PartsSeen:
    """Told apart by the lines that lead to them, and by which loader it is since training went on."""

    def __init__(self) -> None:
        self.known: dict[tuple[tuple[tuple[str, int], ...], int], PartSeen] = {}
        self._loaders: dict[tuple[tuple[str, int], ...], list[int]] = {}

    def training_goes_on(self) -> None:
        self._loaders.clear()

    def at(self, given: Sequence[torch.Tensor], loader: Any) -> PartSeen | None:
        lines = tuple((frame.f_code.co_filename, frame.f_lineno) for frame in _frames(sys._getframe(1)))
        loaders = self._loaders.setdefault(lines, [])
        if id(loader) not in loaders:
            loaders.append(id(loader))
        key = (lines, loaders.index(id(loader)))
        if key not in self.known and len(self.known) < MOST_PARTS:
            name = held_out_name(_frames(sys._getframe(1)), given, loader)
            self.known[key] = PartSeen(len(self.known), sites.caller(), name)
        return self.known.get(key)

    def records(self, probes: Callable[[set[int]], set[int]]) -> tuple[PartEvaluated, ...]:
        """`probes` are those of some examples that are looked at along the way."""
        return tuple(part.record(probes(part.shared)) for part in self.known.values())

    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.known.values())


def held_out_name(frames: Iterable[FrameType], given: Sequence[torch.Tensor], loader: Any) -> str:
    """A name that says that these data are not trained on; empty where there is none, or one that says otherwise.

    What a function calls its arguments says what they usually are, and counts only against it.
    """
    held_by = _holders(loader)
    found = ""
    for frame in frames:
        code = frame.f_code
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        for name, value in _held(frame.f_locals):
            if any(value is one for one in held_by) or any(_holds(value, one) for one in given):
                words = set(_words(name))
                if words & OTHERWISE:
                    return ""
                found = found or (name if words & HELD_OUT and name not in arguments else "")
    return found


def _words(name: str) -> Iterator[str]:
    """`Xtest` and `x_test` alike."""
    for word in WORDS.findall(name):
        yield from (word.lower(), word.lower().removeprefix("x"))


def _held(names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What is named, and what lies in mappings by name and in the object that a method belongs to."""
    for name, value in list(names.items())[:MOST_NAMES]:
        yield name, value
        within = value if type(value) is dict else getattr(value, "__dict__", {}) if name == "self" else {}
        yield from ((key, one) for key, one in list(within.items())[:MOST_NAMES] if isinstance(key, str))


def _holders(loader: Any) -> list[Any]:
    data = getattr(loader, "dataset", None)
    tensors = getattr(data, "tensors", ())
    return [one for one in (loader, data, *(tensors if isinstance(tensors, tuple) else ())) if one is not None]


def _holds(value: Any, given: torch.Tensor) -> bool:
    """The tensor given, or a part of this one: others may share its memory, further on."""
    if type(value) is not torch.Tensor or not reading.readable(value) or value.layout is not torch.strided:
        return False
    if not value.numel() or reading.place(value) != reading.place(given):
        return False
    start, offset = value.data_ptr(), given.data_ptr()
    last = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
    return start <= offset <= start + last * value.element_size()


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    found = 0
    while frame is not None and found < MOST_FRAMES:
        if sites.is_users(frame.f_code.co_filename):
            found += 1
            yield frame
        frame = frame.f_back
