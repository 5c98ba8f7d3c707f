"""Keeps the files of a program at its first checkpoint, and tells what a step begins with: there, and once resumed."""

import functools
import hashlib
import io
import linecache
import os
import re
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from firstlight.experiments.inside.shortening.rounds import Book
from firstlight.experiments.plan import LEFT
from firstlight.observe.inside import containment, reading, sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.records.places import Site
from firstlight.records.resumed import StateKept, StateResumed, TrainingState

MOST_BYTES = 1 << 26
"""Of the files that are kept: a larger checkpoint is not tried."""
MOST_ELEMENTS = 4096
"""Of each tensor that goes into a digest."""
MOST_SITES = 8
MOST_NESTED = 3
LOADS = re.compile(r"\btorch\.load\(|\bload_checkpoint\(|\bload_file\(")
COUNTS = re.compile(r"epoch|step|iter", re.IGNORECASE)


class Resuming:
    def __init__(self, observer: Observer, book: Book, resumed: bool) -> None:
        self.observer, self.book, self.resumed = observer, book, resumed
        self._saved: tuple[Site | None, bool] | None = None
        """Where the first state of the training was written, and whether it has that of an optimizer."""
        self._kept: StateKept | None = None
        self._read: dict[Site, None] = {}
        """Lines that loaded a file, the last one last."""
        self._stepped: set[int] = set()
        """Optimizers that made a step before the checkpoint was written, by their `id`."""

    def written(self, given: Any) -> None:
        """What is written to be trained on, not to be used."""
        if self._saved is None and self.observer.step and (_holds_optimizer(given) or _counts(given)):
            self._saved = sites.caller(), _holds_optimizer(given)

    def read(self) -> None:
        if (site := sites.caller()) is not None:
            self._read.pop(site, None)
            self._read[site] = None

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        if self.resumed:
            site = next(reversed(self._read), None)
            state = self._state(optimizer)
            self.observer.emit(StateResumed(state=state, site=site))
            os._exit(0)
        if self._saved is None:
            self._stepped.add(id(optimizer))
        elif self._kept is None:
            site, holds = self._saved
            goes_on = id(optimizer) in self._stepped  # else it is the next stage that begins
            state, paths = self._state(optimizer), tuple(self._keep_files()) if goes_on else ()
            self._kept = StateKept(
                step=self.observer.step,
                rank=rank(),
                state=state,
                site=site,
                paths=paths,
                holds_optimizer=holds,
                loads=(),
            )

    def seen(self) -> Iterator[StateKept]:
        """At the end, once it is known which lines were never reached."""
        if self._kept is not None and self._kept.paths:
            reached = {(site.file, site.line) for site in self._read}
            loads = [site for site in _loading_lines() if (site.file, site.line) not in reached]
            kept = {name: getattr(self._kept, name) for name in self._kept.__struct_fields__}
            yield StateKept(**{**kept, "loads": tuple(loads[:MOST_SITES])})

    def _state(self, optimizer: torch.optim.Optimizer) -> TrainingState:
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        held = [value for p in parameters for _, value in sorted(optimizer.state.get(p, {}).items(), key=str)]
        return TrainingState(
            weights=_digest(parameters),
            optimizer=_digest([value for value in held if isinstance(value, torch.Tensor)]),
            rates=tuple(float(group["lr"]) for group in optimizer.param_groups if "lr" in group),
            round=self.book.counted(),
            random=_digest([torch.get_rng_state()]),
        )

    def _keep_files(self) -> list[str]:
        """Into one archive; none where they are too large."""
        spec = self.observer.spec
        if not spec.contain:
            return []
        overlay = containment.install(Path(spec.scratch))
        places = [(place, overlay.layers.kept(place)) for place in containment.held_back(overlay)]
        if sum(os.lstat(path).st_size for _, path in places) > MOST_BYTES:
            return []
        found = io.BytesIO()
        with tarfile.open(fileobj=found, mode="w") as archive:
            for place, path in places:
                archive.add(path, place.lstrip("/"))
        (Path(spec.run) / LEFT).write_bytes(found.getvalue())
        return [place for place, _ in places]


def _digest(tensors: list[torch.Tensor]) -> str:
    made = hashlib.sha256()
    for tensor in tensors:
        if reading.readable(tensor):
            part = tensor.detach().reshape(-1)[:MOST_ELEMENTS].to("cpu", torch.float64)
            made.update(part.contiguous().numpy().tobytes())
    return made.hexdigest()[:16] if tensors else ""


def _holds_optimizer(tree: Any, depth: int = 0) -> bool:
    if not isinstance(tree, Mapping) or depth > MOST_NESTED:
        return False
    if {"state", "param_groups"} <= tree.keys():
        return bool(tree["state"])
    return any(_holds_optimizer(value, depth + 1) for value in tree.values())


def _counts(tree: Any) -> bool:
    """Beside weights, how far the training got."""
    return isinstance(tree, Mapping) and any(
        isinstance(value, int) and COUNTS.search(str(key)) for key, value in tree.items()
    )


def _loading_lines() -> Iterator[Site]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not sites.is_users(file):
            continue
        for number, line in enumerate(linecache.getlines(file), 1):
            if LOADS.search(line) and not line.lstrip().startswith(("#", "def ")):
                site = sites.site_of(file, number)
                if site is not None:
                    yield site


def install(observer: Observer, book: Book, resumed: bool) -> Resuming:
    resuming = Resuming(observer, book, resumed)
    shielded = functools.partial(observer.shielded, "resuming")
    written, read = shielded(resuming.written), shielded(resuming.read)
    save, load = torch.save, torch.load

    @functools.wraps(save)
    def saving(obj: Any, *arguments: Any, **options: Any) -> None:
        save(obj, *arguments, **options)
        written(obj)

    @functools.wraps(load)
    def loading(*arguments: Any, **options: Any) -> Any:
        found = load(*arguments, **options)
        read()
        return found

    torch.save, torch.load = saving, loading
    observer.moments.step_begins.append(shielded(resuming.step_begins))
    return resuming
