"""Copies that stand for a model in training: do they follow it, do they lag behind, are they copies at all?

A copy is a module of the same class, with weights of the same names and shapes, that no optimizer holds or that are the
very memory of the other one's: of the model that is called, or of the network that is most of it. It is looked at where
the program calls it or goes over its weights, once between two steps, a part of each weight only.
"""

import functools
import statistics as statistics_of
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import msgspec
import torch

from firstlight.experiments.inside import shortening
from firstlight.experiments.inside.shortening.rounds import Loop, whole
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.models import Call
from firstlight.records.copies import CopySeen
from firstlight.records.places import Site

MOST_COPIES = 8
MOST_LOOKS = 64
MOST_TENSORS = 6
MOST_ELEMENTS = 2048
LEAST_SHARED = 2
"""Looks at which memory is shared: weights may be swapped in for the length of an evaluation."""
NEAR = 0.05
"""Share of what the model moved between two looks, within which a copy is where the model is or was."""
LEAST = 1e-12
PASSED_THROUGH = (str(Path(torch.__file__).parent), str(Path(shortening.__file__).parent))
"""Folders of code by which a line of the program reaches weights: torch's own, and that by which loops are cut."""
Part = list[torch.Tensor]


@dataclass
class _Copy:
    copy: "weakref.ref[torch.nn.Module]"
    model: "weakref.ref[torch.nn.Module]"
    name: str
    site: Site | None
    first_step: int
    firsts: tuple[Part, Part]
    """Of the copy and of the model."""
    lasts: tuple[Part, Part]
    statistics: tuple[Part, Part]
    began_equal: bool
    looks: int = 1
    last_step: int = 0
    moved: int = 0
    followed: int = 0
    shared: list[int] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    """Steps before which the program wrote to its weights, or went over them."""
    called: set[int] = field(default_factory=set)
    """Steps before which it was called."""
    updates: set[int] = field(default_factory=set)
    """Steps before which the program went over its weights, and below, the loops around the line that did so last."""
    loops: tuple[Loop, ...] = ()
    shares: list[float] = field(default_factory=list)
    """Of the way to the model that it went between two looks, where it moved."""
    versions: list[int] = field(default_factory=list)
    in_eval: bool = False
    told: CopySeen | None = None
    """What is known of it so far."""


class CopiedModels:
    def __init__(self, observer: Observer, loops: Callable[[], tuple[Loop, ...]]) -> None:
        self.observer, self.loops = observer, loops
        self._known: dict[int, _Copy] = {}
        self._trained: dict[int, tuple[weakref.ref[torch.nn.Module], Part]] = {}
        """Models called with gradients, and what they began with."""

    def returned(self, call: Call) -> None:
        module = _inner(call.module)
        held = {id(p) for entry in self.observer.optimizers() for p in entry.parameters}
        stepped = any(id(p) in held for p in module.parameters())
        for core in _cores(module) if call.training and stepped and id(module) not in self._trained else ():
            self._trained[id(core)] = weakref.ref(core), parts(core.parameters())
        within = set(map(id, module.modules())) - {id(module)} if self._known else set()
        for part in [one for key, one in self._known.items() if key in within]:
            self._called(part, part.copy())
        if (known := self._met(module, call.module, stepped)) is not None:
            self._called(known, call.module)

    def _called(self, known: _Copy, module: torch.nn.Module | None) -> None:
        self._look(known)
        known.in_eval = known.in_eval or (module is not None and not module.training)
        known.called.add(self.observer.step)
        known.told = self._record(known)

    def touched(self, module: torch.nn.Module, goes_over: bool) -> None:
        """The program goes over its weights, as it must to write to them, or keeps them as they are."""
        if any(type(module) is type(ref()) for ref, _ in self._trained.values()):
            held = {id(p) for entry in self.observer.optimizers() for p in entry.parameters}
            if (known := self._met(module, module, any(id(p) in held for p in module.parameters()))) is not None:
                if goes_over:
                    known.touched.add(self.observer.step)
                    known.updates.add(self.observer.step)
                    known.loops = self.loops()
                known.told = self._record(known)

    def _met(self, module: torch.nn.Module, outer: torch.nn.Module, stepped: bool) -> _Copy | None:
        known = self._known.get(id(module))
        if known is not None and known.copy() is module:
            self._look(known)
            return known
        if self.observer.step and len(self._known) < MOST_COPIES and not self._is_part(module):
            return self._meet(module, outer, stepped)
        return None

    def _is_part(self, module: torch.nn.Module) -> bool:
        """Of a copy that is known as a whole."""
        copies = [copy for known in self._known.values() if (copy := known.copy()) is not None]
        return any(module is part for copy in copies for part in copy.modules())

    def _meet(self, module: torch.nn.Module, outer: torch.nn.Module, stepped: bool) -> _Copy | None:
        for ref, began in self._trained.values():
            model = ref()
            own = stepped or id(module) in self._trained
            if model is None or not is_copy(module, model) or (own and not _shared(module, model)):
                continue  # one that is trained beside it is a second member of an ensemble
            both = parts(module.parameters()), parts(model.parameters())
            self._known[id(module)] = found = _Copy(
                copy=weakref.ref(module),
                model=ref,
                name=_name_of(module, outer),
                site=sites.caller(),
                first_step=self.observer.step,
                firsts=both,
                lasts=both,
                statistics=(parts(statistics(module)), parts(statistics(model))),
                versions=_versions(module),
                began_equal=equal(both[0], began) or equal(*both),
            )
            found.shared.append(_shared(module, model))
            found.last_step = self.observer.step
            return found
        return None

    def _look(self, known: _Copy) -> None:
        """Once between two steps."""
        copy, model = known.copy(), known.model()
        if copy is None or model is None or known.last_step == self.observer.step or known.looks >= MOST_LOOKS:
            return
        was, known.lasts = known.lasts, (parts(copy.parameters()), parts(model.parameters()))
        known.looks, known.last_step = known.looks + 1, self.observer.step
        if not equal(was[0], known.lasts[0]):
            known.moved += 1
            known.shares.append(_share(was, known.lasts))
        versions, known.versions = known.versions, _versions(copy)
        known.touched |= {known.last_step} if versions != known.versions else set()
        known.followed += _is_near(known.lasts[0], was[1], known.lasts[1])
        known.shared.append(_shared(copy, model))

    def seen(self, to_end: bool) -> Iterator[CopySeen]:
        """The program may have let go of them by now. Loops say how many rounds they make where it came to its end."""
        for known in self._known.values():
            planned = whole(len(known.updates), known.loops) if to_end and known.loops else None
            if known.told is not None:
                yield msgspec.structs.replace(known.told, planned=planned)

    def _record(self, known: _Copy) -> CopySeen | None:
        copy, model = known.copy(), known.model()
        if copy is None or model is None:
            return known.told
        now = parts(statistics(copy)), parts(statistics(model))
        first, last = known.firsts[1], known.lasts[1]
        drift = _apart(last, first) / max(LEAST, _norm(first))
        shared = sorted(known.shared, reverse=True)
        return CopySeen(
            step=self.observer.step,
            rank=rank(),
            model=type(model).__name__,
            name=known.name,
            site=known.site,
            looks=known.looks,
            steps=known.last_step - known.first_step,
            began_equal=known.began_equal,
            moved=known.moved,
            followed=known.followed,
            touched=len(known.touched),
            drift=drift,
            shared=shared[LEAST_SHARED - 1] if len(shared) >= LEAST_SHARED else 0,
            tensors=len(list(copy.parameters())),
            statistics=len(now[0]) if known.in_eval else 0,
            stale=_stale(known.statistics, now) if known.in_eval else 0,
            called=len(known.called),
            mixed_in=share if (share := _median(known.shares)) > 0 else None,
        )


def _inner(module: torch.nn.Module) -> torch.nn.Module:
    """What `AveragedModel`, `DataParallel` and their like are made around."""
    inner = getattr(module, "module", None)
    return inner if isinstance(inner, torch.nn.Module) else module


def _cores(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """Itself, and from without inwards what holds most of its weights."""
    yield module
    most = len(list(module.parameters())) / 2
    large = [child for child in module.children() if len(list(child.parameters())) > most]
    for child in large:
        yield from _cores(child)


def is_copy(copy: torch.nn.Module, model: torch.nn.Module) -> bool:
    if copy is model or type(copy) is not type(model) or not all(map(reading.readable, copy.parameters())):
        return False
    shapes = [[(name, p.shape) for name, p in one.named_parameters()] for one in (copy, model)]
    return bool(shapes[0]) and shapes[0] == shapes[1]


def _versions(module: torch.nn.Module) -> list[int]:
    """They grow with every write, whether or not it changes a value."""
    return [0 if parameter.is_inference() else parameter._version for parameter in module.parameters()]


def statistics(module: torch.nn.Module) -> list[torch.Tensor]:
    return [buffer for name, buffer in module.named_buffers() if name.endswith(("running_mean", "running_var"))]


def _stale(first: tuple[Part, Part], last: tuple[Part, Part]) -> int:
    """Of the copy: as they were at the first look or when they were built, and not those of the model by now."""
    rows = zip(first[0], last[0], first[1], last[1], strict=True)
    return sum(
        not torch.equal(now, theirs)
        and torch.equal(was, now)
        and (_untouched(now) or not torch.equal(theirs_was, theirs))
        for was, now, theirs_was, theirs in rows
    )


def _untouched(statistic: torch.Tensor) -> bool:
    return bool((statistic == 0).all()) or bool((statistic == 1).all())


def _shared(copy: torch.nn.Module, model: torch.nn.Module) -> int:
    pairs = zip(copy.parameters(), model.parameters(), strict=True)
    return sum(one.data_ptr() == other.data_ptr() and one.numel() > 0 for one, other in pairs)


def parts(tensors: Any) -> Part:
    """Of a few tensors, spread over all of them, the first elements."""
    every = [tensor.detach() for tensor in tensors if reading.readable(tensor)]
    chosen = every[:: max(1, -(-len(every) // MOST_TENSORS))]
    return [tensor.reshape(-1)[:MOST_ELEMENTS].to("cpu", copy=True) for tensor in chosen]


def equal(one: Part, other: Part) -> bool:
    return all(map(torch.equal, one, other))


def _is_near(copy: Part, was: Part, now: Part) -> bool:
    """Where the model is, or where it was at the look before: a copy that is updated next lags by one step."""
    moved = _apart(was, now)
    return moved > 0 and min(_apart(copy, was), _apart(copy, now)) <= NEAR * moved


def _apart(one: Part, other: Part) -> float:
    return _norm([a - b for a, b in zip(one, other, strict=True)])


def _share(was: tuple[Part, Part], now: tuple[Part, Part]) -> float:
    """Of the way to the model that the copy went; the larger of two readings, because it may have been brought up to
    date before the model's last step or after it."""
    moved = [a - b for a, b in zip(now[0], was[0], strict=True)]
    ways = [[a - b for a, b in zip(model, was[0], strict=True)] for model in (was[1], now[1])]
    return min(1.0, max(0.0, *(_along(moved, way) for way in ways)))


def _along(moved: Part, way: Part) -> float:
    """How far on the way, as a share of it."""
    length = sum(float(one.double().square().sum()) for one in way)
    along = sum(float((a.double() * b.double()).sum()) for a, b in zip(moved, way, strict=True))
    return along / length if length > 0 else 0.0


def _median(shares: list[float]) -> float:
    return statistics_of.median(shares) if shares else 0.0


def _norm(part: Part) -> float:
    return reading.length(reading.norms(part))


def _name_of(*modules: torch.nn.Module) -> str:
    """By which the outermost of the user's lines that are running knows one of them."""
    frame: FrameType | None = sys._getframe(1)
    found = ""
    while frame is not None:
        if sites.is_users(frame.f_code.co_filename):
            found = next(_names({**frame.f_globals, **frame.f_locals}, modules), found)
        frame = frame.f_back
    return found


def _names(variables: dict[str, Any], modules: tuple[torch.nn.Module, ...]) -> Iterator[str]:
    """Variables, and attributes of what they hold."""
    for name, value in variables.items():
        if any(value is module for module in modules):
            yield name
        if isinstance(value, type | ModuleType | FunctionType):
            continue
        held = {**getattr(value, "__dict__", {}), **getattr(value, "_modules", {})}
        yield from (f"{name}.{inner}" for inner, item in held.items() if any(item is module for module in modules))


def install(observer: Observer, loops: Callable[[], tuple[Loop, ...]]) -> CopiedModels:
    copies = CopiedModels(observer, loops)
    observer.moments.model_returned.append(observer.shielded("copies", copies.returned))
    kind: Any = torch.nn.Module
    for name in ("named_parameters", "state_dict"):
        setattr(kind, name, _telling(getattr(kind, name), observer, copies, reads=name == "state_dict"))
    return copies


def _telling(original: Any, observer: Observer, copies: CopiedModels, reads: bool) -> Any:
    touched = observer.shielded("copies", copies.touched)

    @functools.wraps(original)
    def method(self: torch.nn.Module, *arguments: Any, **options: Any) -> Any:
        if not observer.reading:
            touched(self, not reads and _asked_by_the_program(sys._getframe(1)))
        return original(self, *arguments, **options)

    return method


def _asked_by_the_program(frame: FrameType | None) -> bool:
    """By a line of its own."""
    while frame is not None and frame.f_code.co_filename.startswith(PASSED_THROUGH):
        frame = frame.f_back
    return frame is not None and sites.is_users(frame.f_code.co_filename)
