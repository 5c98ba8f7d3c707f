"""Graphs that outlive their step: memory that grows with every round, and evaluations that build graphs for nothing.

Each node of a graph has a place for anybody's notes. An object that is put there lives as long as the node does. What
nobody can reach any more, and waits for Python to look for it (a solver that refers to itself), is not kept: memory
does not grow with it.
"""

import gc
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.experiments.inside.shortening.rounds import Loop, whole
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Call
from firstlight.records.kept import GraphsKept
from firstlight.records.places import Site

MOST_KEEPERS = 16
MOST_CALLS = 2000
MOST_NODES = 5000
NODE_BYTES = 500
"""Of a node whose tensors were let go of by a backward."""
STEPS_LATER = 2
"""A graph of the step before may be held by a variable that the next one replaces."""
FEW = 8
"""Graphs up to which each further one is asked whether somebody can reach it."""
MORE = 1.25
"""Times as many as before, from where all of them are asked again."""
NOTE = "firstlight"


class _Note:
    """Lives as long as the node that it is put on."""


@dataclass
class _Graph:
    step: int
    note: "weakref.ref[_Note]"
    walked: bool = False


@dataclass
class _KeptLine:
    model: str
    in_eval: bool
    loops: tuple[Loop, ...]
    held: int
    """Bytes of the tensors that the first graph holds, and below its nodes."""
    nodes: int
    graphs: list[_Graph] = field(default_factory=list)
    calls: int = 0
    phase: int = 0
    """Calls since the last step, and below the most of them."""
    longest: int = 0
    walked: int = 0
    alive: int = 0

    def living(self, counts: Callable[[_Graph], bool]) -> int:
        return sum(graph.note() is not None and counts(graph) for graph in self.graphs)


class KeptGraphs:
    def __init__(self, observer: Observer, loops: Callable[[], tuple[Loop, ...]]) -> None:
        self.observer, self._loops = observer, loops
        self._lines: dict[Site | None, _KeptLine] = {}

    def returned(self, call: Call) -> None:
        output = next((tensor for tensor in reading.tensors_in(call.output) if tensor.grad_fn is not None), None)
        site = sites.caller()
        if output is None or not call.training or (site not in self._lines and len(self._lines) >= MOST_KEEPERS):
            return
        if site not in self._lines:
            held, nodes = _held(output.grad_fn)
            kind = type(call.module).__name__
            self._lines[site] = _KeptLine(kind, not call.module.training, self._loops(), held, nodes)
        line = self._lines[site]
        line.in_eval = line.in_eval and not call.module.training
        line.calls += 1
        line.phase += 1
        line.longest = max(line.longest, line.phase)
        if line.calls <= MOST_CALLS:
            self._follow(line, output.grad_fn)

    def _follow(self, line: _KeptLine, node: Any) -> None:
        note = _Note()
        graph = _Graph(self.observer.step, weakref.ref(note))
        node.metadata[NOTE] = note
        node.register_prehook(lambda *_: _walk(line, graph))
        line.graphs.append(graph)
        if line.in_eval:
            self._count(line, lambda graph: not graph.walked)

    def _count(self, line: _KeptLine, counts: Callable[[_Graph], bool]) -> None:
        if line.alive < (living := line.living(counts)) and (living <= FEW or living > MORE * line.alive):
            gc.collect()
            line.alive = max(line.alive, line.living(counts))
        line.graphs = [graph for graph in line.graphs if graph.note() is not None]

    def stepped(self) -> None:
        old = self.observer.step - STEPS_LATER
        for line in self._lines.values():
            line.phase = 0
            if not line.in_eval:
                self._count(line, lambda graph: graph.step <= old)

    def seen(self) -> Iterator[GraphsKept]:
        for site, line in self._lines.items():
            evaluates = line.in_eval and not line.walked
            if evaluates or (line.alive and not line.in_eval):
                yield GraphsKept(
                    site=site,
                    model=line.model,
                    evaluates=evaluates,
                    calls=line.longest if evaluates else line.calls,
                    alive=line.alive,
                    whole=line.alive if evaluates else _whole(line),
                    bytes=line.held if not line.walked else NODE_BYTES * line.nodes,
                )


def _walk(line: _KeptLine, graph: _Graph) -> None:
    line.walked += not graph.walked
    graph.walked = True


def _whole(line: _KeptLine) -> int | None:
    """Each loop around it that trains makes so many times more rounds in the whole program."""
    training = [loop for loop in line.loops if loop.trains]
    return None if any(loop.may_be_left for loop in training) else whole(line.alive, training)


def _held(root: Any) -> tuple[int, int]:
    """Bytes of what the graph saves for backward, weights excepted, and how many nodes it has."""
    seen, waiting, storages = {root}, deque([root]), dict[int, int]()
    weights: set[int] = set()
    while waiting and len(seen) < MOST_NODES:
        node = waiting.popleft()
        if hasattr(node, "variable"):
            weights.add(node.variable.untyped_storage().data_ptr())
        for tensor in (one for one in _saved(node) if one.layout is torch.strided):
            storage = tensor.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
        for below, _ in node.next_functions:
            if below is not None and below not in seen:
                seen.add(below)
                waiting.append(below)
    return sum(size for pointer, size in storages.items() if pointer not in weights), len(seen)


def _saved(node: Any) -> Iterator[torch.Tensor]:
    for name in dir(node):
        if name.startswith("_saved_"):
            yield from (found for found in reading.tensors_in(getattr(node, name, None)) if reading.readable(found))


def install(observer: Observer, loops: Callable[[], tuple[Loop, ...]]) -> KeptGraphs:
    kept = KeptGraphs(observer, loops)
    observer.moments.model_returned.append(observer.shielded("kept graphs", kept.returned))
    observer.moments.next_step.append(observer.shielded("kept graphs", kept.stepped))
    return kept
