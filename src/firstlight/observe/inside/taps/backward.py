"""Every `backward`: the loss on which it was called, its line, and what lies behind it."""

import functools
import weakref
from typing import Any

import torch

from firstlight.observe.inside import graph, reading, sites
from firstlight.observe.inside.drawn import DrawnMemory
from firstlight.observe.inside.echo import Asked
from firstlight.observe.inside.given import LastGiven
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.handed_on import HandedOn
from firstlight.observe.inside.taps.models import Models
from firstlight.records.places import Site
from firstlight.records.training import BackwardSeen

MOST_WALKED = 16
"""Backwards whose graph is measured at every step, to see whether it grows."""
MOST_LEAVES = 8


class Walked:
    """What was learnt from walking graphs: which parameters a loss reached, and which line made which node."""

    def __init__(self, observer: Observer, models: Models) -> None:
        self.observer = observer
        self.models = models
        self.reached: set[int] = set()
        self.leaves: list[weakref.ref[torch.Tensor]] = []
        """The first tensors that the last loss which was walked reached."""
        self.lines: dict[graph.Node, Site] = {}
        """Line of each node of the graph under construction; filled on fully observed steps, let go after backward."""
        self.blueprint: list[tuple[str, Site | None]] = []
        """Names and lines of the last fully observed graph, in walking order."""
        self.losses: list[float] = []
        self.values_since_step: list[float] = []
        self.asked: list[Asked] = []
        """What those loss functions were to match."""
        self.answers_kept = False
        """That was in the same memory as for the backward before: not fetched again, but all there is."""
        self._places = LastGiven()
        self.site: Site | None = None
        self.weighted = False
        """The backward now called was given the gradient of its root."""
        self.cuts: dict[int, tuple[str, Site]] = {}
        """For a parameter behind a cut in the graph: the operation and its line."""
        self.copied_to: set[int] = set()
        """Where the values are of tensors that others were copied into."""
        self.drawn = DrawnMemory()
        self._handed_on = HandedOn(observer, self.cuts)

    def begins(self, root: torch.Tensor, retain: bool, functional: bool) -> None:
        observer = self.observer
        self.site = sites.caller()
        value = reading.number(root) / observer.scale if root.numel() == 1 and reading.readable(root) else float("nan")
        walk = observer.full or (observer.backwards < MOST_WALKED and not observer.light)
        nodes = list(graph.nodes_behind(root)) if walk else None
        leaves = [leaf for node in nodes or () if (leaf := getattr(node, "variable", None)) is not None]
        reached = {id(leaf) for leaf in leaves}
        if nodes is not None:
            self.leaves = [weakref.ref(leaf) for leaf in leaves[:MOST_LEAVES]]
        if nodes is not None and observer.full:
            self.blueprint = [(graph.name_of(node), self.lines.get(node)) for node in nodes]
            self._handed_on.watch(nodes)
        self.reached |= reached
        self.losses.append(value)
        self.values_since_step.append(value)
        observer.emit(
            BackwardSeen(
                site=self.site,
                value=value,
                connected=functional or (root.requires_grad and not root.is_leaf),
                leaf=root.is_leaf and root.requires_grad,
                parameters=len(reached) if walk else None,
                nodes=len(nodes) if nodes is not None else None,
                retained=retain,
                functional=functional,
                eval_models=tuple(sorted({seen.name for seen in self.models.since_backward if seen.silenced()})),
                scale=observer.scale,
                calls=len(self.models.since_backward),
                terms=graph.summands(root) if walk and not root.is_leaf else None,
                within_step=observer.stepping,
                averages=None if self.weighted else graph.times_average(root),
            )
        )

    def ended(self, _root: torch.Tensor) -> None:
        answers = [one.target for one in self.asked if reading.readable(one.target)]
        if answers:  # losses are looked at on some steps only; in between, what was last seen holds
            self.answers_kept = self._places.again(answers)
        self.lines.clear()
        self.asked.clear()


def install(observer: Observer, models: Models) -> Walked:
    walked = Walked(observer, models)
    original = torch.autograd.backward

    @functools.wraps(original)
    def backward(tensors: Any, *arguments: Any, **keywords: Any) -> None:
        if observer.finished:
            observer.spend()
        if observer.inert or observer.in_backward or torch.compiler.is_compiling():
            original(tensors, *arguments, **keywords)
            return
        root = tensors if isinstance(tensors, torch.Tensor) else next(iter(tensors), None)
        if not isinstance(root, torch.Tensor):
            original(tensors, *arguments, **keywords)
            return
        walked.weighted = bool(arguments and arguments[0] is not None) or keywords.get("grad_tensors") is not None
        begin_backward(observer, root, bool(keywords.get("retain_graph") or keywords.get("create_graph")))
        observer.in_backward = True
        try:
            original(tensors, *arguments, **keywords)
        finally:
            observer.in_backward = False
        end_backward(observer, root)

    torch.autograd.backward = backward
    observer.moments.backward_begins.append(observer.shielded("backward", walked.begins))
    observer.moments.backward_ended.append(observer.shielded("backward", walked.ended))
    return walked


def begin_backward(observer: Observer, root: torch.Tensor, retain: bool, functional: bool = False) -> None:
    observer.clock.begin()
    observer.tell(observer.moments.backward_begins, lowered(observer, root), retain, functional)


def lowered(observer: Observer, root: torch.Tensor) -> torch.Tensor:
    """What the steps are to lower: of an objective that they maximize, its negative, as if the program had said so."""
    if root.numel() != 1 or not root.requires_grad or root.is_leaf or not observer.maximizes():
        return root
    with observer.quiet(), torch.enable_grad():
        minus = -root
        observer.negated(root, minus)
    return minus


def end_backward(observer: Observer, root: torch.Tensor) -> None:
    observer.backwards += 1
    observer.tell(observer.moments.backward_ended, root)
    observer.after_backward()
