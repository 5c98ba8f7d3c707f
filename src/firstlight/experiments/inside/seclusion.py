"""Keeps a timeline from touching anything that belongs to the original process."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import dataloader

from firstlight.observe.inside import containment
from firstlight.observe.inside.observer import Observer
from firstlight.store.run_directory import RunDirectory

MOST_TEMPORARY_BYTES = 32 << 20
"""Of temporary files, which every copy is given anew; of more than these it copies what it changes."""


def part(observer: Observer, name: str) -> None:
    """From here on no file is shared with the original, temporary ones neither: a copy that appends to the log of the
    original, or finds in its folder what only the original has written since, would change the one or mislead the
    other."""
    if observer.spec.contain:
        overlay = containment.install(Path(observer.spec.scratch))
        overlay.branch(RunDirectory(Path(observer.spec.run)).timelines / name)
        overlay.take_over(Path(tempfile.gettempdir()), MOST_TEMPORARY_BYTES)


def withdraw(observer: Observer, name: str) -> None:
    """Before the script goes on in this copy of it."""
    part(observer, name)
    atexit._clear()
    atexit.register(os._exit, 0)
    _leave_temporary_files()
    _leave_loader_workers()
    _read_in_process()
    _leave_writers()
    stay_eager()


def stay_eager() -> None:
    """What a timeline changes lies in hooks, which compiled code may pass by."""
    if hasattr(torch.compiler, "set_stance"):
        torch.compiler.set_stance("force_eager")


def _leave_temporary_files() -> None:
    """The original still uses them; what this copy would remove goes with the whole temporary folder later."""
    shutil.rmtree = lambda *_, **__: None  # type: ignore[assignment]
    for name in ("unlink", "remove", "rmdir"):
        setattr(os, name, lambda *_, **__: None)


def _leave_loader_workers() -> None:
    """Workers and their queues serve the original. The copy reads the data set itself, from the epoch's start."""
    kind: Any = dataloader._MultiProcessingDataLoaderIter
    kind._shutdown_workers = lambda _self: None
    kind.__del__ = lambda _self: None
    stand_ins: dict[int, Any] = {}

    def next_itself(self: Any) -> Any:
        if id(self) not in stand_ins:
            loader = self.firstlight_loader
            loader.__dict__["num_workers"] = 0
            stand_ins[id(self)] = dataloader._SingleProcessDataLoaderIter(loader)
            stand_ins[id(self)].firstlight_loader = loader
        return next(stand_ins[id(self)])

    kind.__next__ = next_itself


def _read_in_process() -> None:
    """Loaders that begin later start no workers either: nine copies would start nine times as many."""
    original = torch.utils.data.DataLoader.__iter__

    def iterate(self: Any) -> Any:
        self.num_workers = 0
        return original(self)

    torch.utils.data.DataLoader.__iter__ = iterate  # type: ignore[method-assign]


def _leave_writers() -> None:
    """TensorBoard's writer thread did not come along; its queue would fill and block."""
    module = sys.modules.get("tensorboard.summary.writer.event_file_writer")
    if module is not None:
        module.EventFileWriter.add_event = lambda *_, **__: None
