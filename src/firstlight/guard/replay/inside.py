"""Inside the program that is run again: its first step becomes the captured one, followed operation by operation.

The program builds its own models, optimizers and loaders. When it first trains, each model gets the captured weights,
loaders give the captured batch, the random state is set to what it was, and from there on everything is the program's
own code. The first non-finite loss, gradient or weight ends it.
"""

import functools
import linecache
import os
import posix
import threading
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.data import dataloader

from firstlight.experiments.inside import model_steering
from firstlight.guard.capture.surroundings import set_random
from firstlight.guard.replay import order as orders
from firstlight.guard.replay.material import Material
from firstlight.guard.replay.outliers import outliers_in
from firstlight.guard.replay.repro import script_of
from firstlight.guard.replay.wide import Wide
from firstlight.observe.inside import reading
from firstlight.observe.inside.localise import Birth, Localiser, ModulePath, told
from firstlight.observe.inside.observer import Observer, rank
from firstlight.records.nonfinite import BadOperation, Replayed

MOST_STEPS = 4
"""Optimizer steps the replay is given: one iteration of a program with several optimizers."""


class Replay:
    def __init__(self, observer: Observer, order: orders.Order, material: Material) -> None:
        self.observer, self.order, self.material = observer, order, material
        self.loaded: list[str] = []
        self.outliers = outliers_in(material)
        self.loss: float | None = None
        self.mode: Localiser | None = None
        self._path: ModulePath | None = None
        self._met: set[int] = set()
        self._steps = 0

    def entered(self, module: torch.nn.Module, given: tuple[Any, ...]) -> Any:
        """Before every call of a module: the outermost ones that train are given what was captured."""
        if not torch.is_grad_enabled() or self.observer.reading or id(module) in self._met:
            return None
        if self._path is not None and self._path() is not None:
            return None  # within a model that was met already
        if next(module.parameters(), None) is None:
            return None
        self._met.add(id(module))
        with _disable_current_modes(), torch.no_grad():
            if (name := self.material.load_model(module)) is not None:
                self.loaded.append(name)
            if self.order.precision == "float32":
                module.float()
        if not self._met - {id(module)}:
            set_random(self.material.random)
        self.begin(module)
        return None if self.material.has_batch else self.material.inputs_for(given)

    def begin(self, module: torch.nn.Module | None = None) -> None:
        """At the batch, where a loader gives it: much goes wrong on its way to the model."""
        if self.mode is not None:
            return
        self._path = ModulePath(module)
        self._path.follow()
        self.mode = Localiser(self._name, self._path)
        self.mode.__enter__()  # type: ignore[no-untyped-call]  # torch leaves it untyped

    def _name(self, tensor: torch.Tensor) -> str | None:
        weight = self._path.called(tensor) if self._path is not None else None
        return f"the weight `{weight}`" if weight is not None else self.material.leaf_of(tensor)

    def backward_begins(self, root: torch.Tensor, *_: Any) -> None:
        if self.mode is None:
            return
        with _disable_current_modes():
            if self.loss is None and root.numel() == 1:  # later ones are of weights that have moved
                self.loss = reading.number(root) / self.observer.scale
        self._judge("loss", root)

    def backward_ended(self, _root: torch.Tensor) -> None:
        for parameter in self._parameters():
            if parameter.grad is not None and reading.readable(parameter.grad):
                self._judge("gradient", parameter.grad)

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        with _disable_current_modes():
            if (name := self.material.load_optimizer(optimizer)) is not None:
                self.loaded.append(name)

    def step_ended(self, *_: Any) -> None:
        for parameter in self._parameters():
            self._judge("weight", parameter.detach())
        self._steps += 1
        if self._steps >= MOST_STEPS:
            self._end(None, None)

    def _parameters(self) -> list[torch.Tensor]:
        return [p for held in self.observer.optimizers() for p in held.parameters] if self.mode is not None else []

    def _judge(self, what: str, tensor: torch.Tensor) -> None:
        with _disable_current_modes():
            bad = not reading.all_finite(tensor)
            birth = self.mode.origin(tensor) if bad and self.mode is not None else None
        if bad:
            self._end(what, birth)

    def _end(self, what: str | None, birth: Birth | None) -> None:
        repro = None
        with _disable_current_modes(), torch.no_grad():
            if birth is not None:
                self.observer.emit(told(birth, self.material.step, rank()))
                repro = self._write_repro(birth)
            self.observer.emit(
                Replayed(
                    step=self.material.step,
                    rank=rank(),
                    precision=self.order.precision,
                    bad=what,
                    loss=self.loss,
                    loaded=tuple(self.loaded),
                    fed=self.material.has_batch or self.material.was_fed,
                    repro=repro,
                    outliers=self.outliers,
                )
            )
        os._exit(0)

    def _write_repro(self, birth: Birth) -> str | None:
        if birth.phase == "given":
            return None
        record = told(birth, self.material.step, rank())
        title = f"`{record.operation}` at step {self.material.step}, with torch alone. {record.words}".strip()
        text = script_of(birth, title, _notes(record, self.material))
        if text is None:
            return None
        path = str(Path(self.observer.spec.run) / orders.REPRO)
        # Below Python's own file functions, which are held back in this process.
        descriptor = posix.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        data = memoryview(text.encode())
        while data:
            data = data[posix.write(descriptor, data) :]
        posix.close(descriptor)
        return path


def _notes(record: BadOperation, material: Material) -> list[str]:
    """Where the operation stands in the user's code, and the example it goes wrong for."""
    notes = []
    if record.site is not None:
        notes.append(f"{record.site}: {linecache.getline(record.site.file, record.site.line).strip()}")
    if record.row is not None:
        notes.append(f"Row {record.row} of {record.rows}, with the numbers it had; others are left out.")
        notes += material.row_in_words(record.row, record.rows)
    return ["", *notes] if notes else []


def install(observer: Observer) -> None:
    order = orders.read(Path(observer.spec.run))
    material = Material.read(Path(order.artifact))
    replay = Replay(observer, order, material)
    if order.precision == "float32":
        model_steering.fp32(observer, "")
        material.widen()
        Wide().__enter__()  # type: ignore[no-untyped-call]
    register_module_forward_pre_hook(replay.entered)
    observer.moments.backward_begins.append(replay.backward_begins)
    observer.moments.backward_ended.append(replay.backward_ended)
    observer.moments.step_begins.append(replay.step_begins)
    observer.moments.step_ended.append(replay.step_ended)
    if material.has_batch:
        for kind in (dataloader._BaseDataLoaderIter, dataloader._MultiProcessingDataLoaderIter):
            if "__next__" in vars(kind):
                _feed(kind, replay)
    _set_scale(material)


def _feed(kind: Any, replay: Replay) -> None:
    original = kind.__next__

    @functools.wraps(original)
    def following(self: Any) -> Any:
        own = original(self)
        with _disable_current_modes():
            batch = replay.material.batch_for(own)
        if batch is not own and threading.current_thread() is threading.main_thread():
            replay.begin()
        return batch

    kind.__next__ = following


def _set_scale(material: Material) -> None:
    scaler: Any = torch.amp.GradScaler
    original = scaler.scale
    seen: set[int] = set()

    @functools.wraps(original)
    def scale(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if id(self) not in seen:
            seen.add(id(self))
            material.load_scaler(self)
        return original(self, *arguments, **keywords)

    scaler.scale = scale
