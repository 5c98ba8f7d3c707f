"""A checkpoint written, read back into new objects and used: the same outputs, and the same next steps.

The steps of both are seeded alike, so that what differs is state. Whether functions of the user's own bring back the
random state and the place in the data as well is asked by itself.
"""

import inspect
import itertools
import math
import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.fitting import step
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.observe.inside import reading
from firstlight.records.declared import RoundTrip
from firstlight.records.program import Unseen

ELSEWHERE = 12345
"""Seed of the process that loads: another one than that of the process that saved."""
STEPS = 3
"""Before the checkpoint is written, and again after."""
PREFIXES = ("module.", "_orig_mod.", "model.", "state_dict.", "net.")
"""Put before every name by DataParallel, torch.compile, Lightning and others."""
MOST_NAMES = 8
INNER = ("state_dict", "model_state_dict", "model", "module", "net")


def checkpoint(bench: Bench) -> None:
    given = bench.experiment.checkpoint
    if isinstance(given, tuple):
        _round(bench, "own", given)
    elif given is not None:
        _earlier(bench, Path(given))
    else:
        _round(bench, "plain", (_save, _load))


def _save(path: Path, *pieces: Any) -> None:
    torch.save([piece.state_dict() for piece in pieces if piece is not None], path)


def _load(path: Path, *pieces: Any) -> None:
    states = torch.load(path, weights_only=True)
    for piece, state in zip([piece for piece in pieces if piece is not None], states, strict=True):
        piece.load_state_dict(state)


class _Run:
    """A model in training with everything that belongs to its state."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.model = bench.model()
        has_steps = bench.experiment.optimizer is not None and bench.has_loss
        self.optimizer = bench.optimizer(self.model) if has_steps else None
        with_schedule = self.optimizer is not None and bench.experiment.scheduler is not None
        self.scheduler = bench.scheduler(self.optimizer) if with_schedule else None
        self.draws: set[str] = set()  # the generators that steps draw from, as dropout does from torch's

    @property
    def pieces(self) -> tuple[Any, ...]:
        return (self.model, self.optimizer, self.scheduler)

    def train(self) -> list[float]:
        if self.optimizer is None:
            return []
        losses = []
        batches = itertools.islice(itertools.cycle(self.bench.batches(STEPS)), STEPS)
        self.bench.seed()
        for own in [value for part in self.model.modules() for value in vars(part).values()]:
            if isinstance(own, torch.Generator):
                own.manual_seed(ELSEWHERE)
        before = random_states()
        for batch in batches:
            losses.append(step(self.bench, self.model.train(), self.optimizer, batch))
            if self.scheduler is not None:
                self.scheduler.step()
        self.draws |= {name for name, state in random_states().items() if state != before.get(name)}
        return losses

    def output(self) -> list[torch.Tensor]:
        """From the same random numbers each time: a model may sample in eval mode."""
        self.bench.seed()
        with torch.no_grad():
            made = self.bench.passed(self.model.eval(), self.bench.batch())
        return [t.detach().clone() for t in reading.tensors_in(made) if t.is_floating_point()]


def random_states() -> dict[str, bytes]:
    """Of torch, Python and NumPy, as they are now."""
    numpy = sys.modules.get("numpy")
    states = {"torch": torch.get_rng_state().numpy().tobytes(), "random": repr(random.getstate()).encode()}
    return states | ({"numpy": numpy.random.get_state()[1].tobytes()} if numpy is not None else {})


@dataclass
class _Resumed:
    """What a new process has after loading."""

    run: _Run
    unsafe: str
    strange: set[str]
    """Generators that are not where they were at the moment of saving."""
    place: "Place | None"


def _round(bench: Bench, kind: str, functions: tuple[Any, Any]) -> None:
    original = _Run(bench)
    original.train()
    resumed = _resumed(original, functions, Place(bench, functions) if kind == "own" else None)
    again, place = resumed.run, resumed.place
    outputs = _difference(original.output(), again.output())
    weights_alone = all(_room(function) < len(("model", "optimizer")) for function in functions)
    if weights_alone and original.optimizer is not None:
        reason = "how training goes on after a reload; `save` and `load` take the model alone"
        bench.emit(Unseen(step=0, tap="checkpoint", reason=reason))
    before, after = ([], []) if weights_alone else (original.train(), again.train())
    apart = max((_apart(one, other) for one, other in zip(before, after, strict=False)), default=0.0)
    bench.emit(
        RoundTrip(
            kind=kind,
            missing=(),
            unexpected=(),
            reshaped=(),
            rename="",
            output_difference=outputs,
            next_loss_difference=apart if before else None,
            lost=tuple(name for name in _lost(original, again, outputs) if name == "model" or not weights_alone),
            unsafe="" if kind == "plain" else resumed.unsafe,
            random_lost=tuple(sorted(original.draws & resumed.strange)) if kind == "own" else (),
            place_lost=place is not None and place.lost(),
            site=line_of(functions[1]) if kind == "own" else None,
        )
    )


def _resumed(original: _Run, functions: tuple[Any, Any], place: "Place | None") -> _Resumed:
    bench, (save, load) = original.bench, functions
    with tempfile.TemporaryDirectory(prefix="fl-") as folder:
        path = Path(folder) / "checkpoint.pt"
        at_save = random_states()
        with using("checkpoint", "saving"):
            _called(save, path, (*original.pieces, bench.experiment.train))
        unsafe = _unsafe(Path(folder))
        again = _Run(bench)
        if place is not None:
            place.go_on()
        bench.seed(ELSEWHERE)
        with using("checkpoint", "loading what was saved"):
            _called(load, path, (*again.pieces, bench.experiment.train))
        strange = {name for name, state in random_states().items() if state != at_save.get(name)}
        return _Resumed(again, unsafe, strange, place)


class Place:
    """Where a loader with a state of its own goes on after a reload. Others begin an epoch anew by nature."""

    def __init__(self, bench: Bench, functions: tuple[Any, Any]) -> None:
        self._loader = bench.experiment.train
        self.looked_at = hasattr(self._loader, "load_state_dict") and all(map(_takes_loader, functions))
        if not self.looked_at:
            reason = "where the data goes on after a reload; `save` and `load` take no loader that keeps its place"
            bench.emit(Unseen(step=0, tap="checkpoint", reason=reason))
            return
        self._going = iter(self._loader or ())
        for _ in range(STEPS):
            next(self._going, None)
        self._next: str | None = None

    def go_on(self) -> None:
        """Past what was saved, as the run that was broken off did."""
        if self.looked_at:
            self._next = self._print(next(self._going, None))

    def lost(self) -> bool:
        return self.looked_at and self._print(next(iter(self._loader or ()), None)) != self._next

    def _print(self, raw: Any) -> str:
        return reading.fingerprint(list(reading.tensors_in(raw)))


def _takes_loader(function: Any) -> bool:
    return math.inf > _room(function) > len(("model", "optimizer", "scheduler"))


def _room(function: Any) -> float:
    """How many pieces it takes besides the path."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    return math.inf if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(parameters) - 1


def _called(function: Any, path: Path, pieces: tuple[Any, ...]) -> None:
    """With as many pieces as it takes: model, optimizer, schedule, loader. `*pieces` stands for the first three."""
    taken = min(_room(function), len(pieces))
    function(path, *pieces[: 3 if _room(function) == math.inf else int(taken)])


def _apart(one: float, other: float) -> float:
    alike = one == other or (math.isnan(one) and math.isnan(other))
    return 0.0 if alike else abs(one - other) / max(abs(one), abs(other))


def _difference(one: list[torch.Tensor], other: list[torch.Tensor]) -> float:
    if [t.shape for t in one] != [t.shape for t in other]:
        return float("inf")
    scale = max((float(torch.nan_to_num(t, 0.0, 0.0, 0.0).abs().max()) for t in one if t.numel()), default=0.0)
    apart = max(map(reading.distance, one, other), default=0.0)
    return apart / scale if scale else apart


def _lost(original: _Run, again: _Run, outputs: float) -> tuple[str, ...]:
    """Which states differ after the reload; both have since made the same further steps."""
    names = ("model", "optimizer", "scheduler")
    found = ["model"] if outputs else []
    for name, one, other in list(zip(names, original.pieces, again.pieces, strict=True))[1:]:
        if one is not None and not _same(one.state_dict(), other.state_dict()):
            found.append(name)
    return tuple(found)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.shape == other.shape and torch.equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) if isinstance(one, int | float | str | bool | None) else True


def _unsafe(folder: Path) -> str:
    """The files written, loaded as anyone should load them."""
    for path in folder.rglob("*"):
        try:
            if path.is_file() and path.suffix in (".pt", ".pth", ".ckpt", ".bin"):
                torch.load(path, weights_only=True, map_location="cpu")
        except Exception as error:  # noqa: BLE001  # whatever it is, it cannot be loaded safely
            return str(error).splitlines()[0]
    return ""


def _earlier(bench: Bench, path: Path) -> None:
    """A file of an earlier run against the model as it is built today."""
    model = bench.model()
    try:
        held = torch.load(path, weights_only=True, map_location="cpu")
    except Exception as error:  # noqa: BLE001  # a damaged or unsafe file is what we came to find
        bench.emit(_file(unsafe=str(error).splitlines()[0]))
        return
    state = _state(held)
    own = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    theirs = {name: tuple(value.shape) for name, value in state.items()}
    both = own.keys() & theirs.keys()
    reshaped = [f"{name}: {theirs[name]} for {own[name]}" for name in both if own[name] != theirs[name]]
    bench.emit(
        _file(
            missing=tuple(sorted(own.keys() - theirs.keys())[:MOST_NAMES]),
            unexpected=tuple(sorted(theirs.keys() - own.keys())[:MOST_NAMES]),
            reshaped=tuple(sorted(reshaped)[:MOST_NAMES]),
            rename=_rename(own, theirs),
        )
    )


def _file(**found: Any) -> RoundTrip:
    empty: dict[str, Any] = {"missing": (), "unexpected": (), "reshaped": (), "rename": "", "lost": (), "unsafe": ""}
    nothing: dict[str, Any] = {"output_difference": None, "next_loss_difference": None}
    return RoundTrip(kind="file", **(empty | nothing | found))


def _state(held: Any) -> dict[str, torch.Tensor]:
    """The tensors by name, out of the usual wrappings."""
    for name in INNER:
        if isinstance(held, dict) and isinstance(held.get(name), dict):
            held = held[name]
            break
    return {k: v for k, v in held.items() if isinstance(v, torch.Tensor)} if isinstance(held, dict) else {}


def _rename(own: dict[str, Any], theirs: dict[str, Any]) -> str:
    """The prefix that, taken away or put on, makes all names agree."""
    for prefix in PREFIXES:
        if {name.removeprefix(prefix) for name in theirs} == set(own) != set(theirs):
            return f"take the prefix `{prefix}` off its names"
        if {prefix + name for name in theirs} == set(own):
            return f"put the prefix `{prefix}` before its names"
    return ""
