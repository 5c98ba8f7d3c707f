"""Optimizer steps, and whether the gradients they use are new, old, piled up or gone.

A gradient's identity and version, noted when a step ends and looked at again when the next backward begins, tell by
any means of clearing (`zero_grad`, `p.grad = None`, `zero_`) whether somebody cleared it.
"""

import functools
import statistics
import weakref
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps import states
from firstlight.observe.inside.taps.backward import MOST_LEAVES, Walked
from firstlight.observe.inside.taps.lineage import Generation, Lineage, keeps
from firstlight.observe.inside.taps.models import Models
from firstlight.observe.inside.taps.swallowed import Swallows
from firstlight.records.inner import WayTaken
from firstlight.records.places import Site
from firstlight.records.program import Ending
from firstlight.records.training import StepSeen

MOST_WATCHED = 48
"""Tensors of an optimizer whose gradients are followed; spread over all of them."""
WEIGHTS_EVERY = 10
MOST_GATHERED = 2
"""Backwards for a first step; after more, it is looked for exceptions that keep it from being made."""
MOST_WAYS = 3
"""Updates without an optimizer of which it is asked which way they go."""
MOST_ELEMENTS = 1 << 20
SAME_NORM = 1e-6
"""Relative; nothing was done to the gradients in between."""
Mark = tuple[int, int]


@dataclass
class Held:
    """One optimizer and what is known of its gradients."""

    ref: "weakref.ref[torch.optim.Optimizer]"
    name: str
    site: Site | None
    first_lr: float | None
    given_lr: float | None = None
    """The rate it was built with, or the last one that a schedule gave it."""
    index: int = -1
    steps: int = 0
    backwards: int = 0
    watched: list[torch.Tensor] = field(default_factory=list)
    marks: dict[int, Mark] = field(default_factory=dict)
    uncleared: set[int] = field(default_factory=set)
    got_gradients: bool = False
    made: dict[int, Mark] = field(default_factory=dict)
    """Gradients as the last backward left them."""
    ever_got_gradients: bool = False
    closure: bool = False
    empty: bool = False
    generation: Generation | None = None
    gathered: int = 0
    """Backwards whose gradients have added up so far, without being cleared in between."""
    summed: float | None = None
    """Norm of the gradients that several backwards left, on steps observed in full."""
    reworked: bool | None = None
    stateful: bool = False
    """The last step left something behind for the next one: momentum, second moments."""
    forgotten: int = 0
    """Times that this was gone when the next step came."""
    unused: int = 0
    """Backwards whose gradients were cleared before a step used them."""
    norm: float | None = None
    """Of the gradients at the last step."""
    applied: int = 0
    """Steps with a new gradient."""
    idle: int = 0
    """Steps without one since an optimizer last had one, be it another."""

    @property
    def parameters(self) -> list[torch.Tensor]:
        optimizer = self.ref()
        return [] if optimizer is None else [p for group in optimizer.param_groups for p in group["params"]]

    def named(self) -> list[tuple[str, torch.Tensor]]:
        return [(f"{self.name}[{index}]", p) for index, p in enumerate(self.parameters)]

    def watch(self) -> None:
        everything = self.parameters
        stride = max(1, len(everything) // MOST_WATCHED)
        self.watched = everything[::stride]


class Optimizers:
    def __init__(self, observer: Observer, models: Models) -> None:
        self.observer = observer
        self.models = models
        self.swallows = Swallows()
        self.walked: Walked | None = None
        self.held: dict[int, Held] = {}
        self._stepped = 0
        self._served = False
        """A step of any optimizer followed the last backward: what it left in other parameters was not meant."""
        self.steps: Counter[Site | None] = Counter()
        """Steps by the line that built the optimizer: one built anew at every step goes on counting."""
        self._weights: dict[int, float] = {}
        self._pushed: dict[int, list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]] = {}
        """Weights that the program moves itself, with what they and their gradients were after the last backward."""
        self._ways: Counter[int] = Counter()
        self.weights_moved: bool | None = None
        self._lineage = Lineage()

    def built(self, optimizer: torch.optim.Optimizer) -> None:
        lr = optimizer.param_groups[0].get("lr") if optimizer.param_groups else None
        self.held[id(optimizer)] = Held(
            ref=weakref.ref(optimizer),
            name=type(optimizer).__name__,
            site=sites.caller(),
            first_lr=float(lr) if lr is not None else None,
            given_lr=float(lr) if lr is not None else None,
            generation=self._lineage.begun(optimizer, sites.caller()),
        )

    def scheduled(self, schedule: Any) -> None:
        """What it sets may belong to a wrapper (Accelerate's) around the optimizer that steps: the groups are one."""
        groups = getattr(getattr(schedule, "optimizer", None), "param_groups", None)
        for held in self.held.values():
            optimizer = held.ref()
            if optimizer is not None and groups and optimizer.param_groups[0] is groups[0] and "lr" in groups[0]:
                held.given_lr = float(groups[0]["lr"])

    def maximize(self) -> bool:
        """All of them that are still there: which of several a loss is for is not known before they step."""
        groups = [group for held in self.held.values() if (one := held.ref()) is not None for group in one.param_groups]
        return bool(groups) and all(group.get("maximize") is True for group in groups)

    def of(self, optimizer: torch.optim.Optimizer) -> Held:
        held = self.held.get(id(optimizer))
        if held is None or held.ref() is not optimizer:
            self.built(optimizer)
            held = self.held[id(optimizer)]
        return held

    def backward_begins(self, *_: Any) -> None:
        self.swallows.stop()
        for held in self.held.values():
            if not held.watched:
                held.watch()
            held.uncleared = {id(p) for p in held.watched if id(p) in held.uncleared and self._is_uncleared(held, p)}
            held.gathered = 0 if self._are_gone(held) else held.gathered
            given = held.got_gradients and not self._served
            if given and not self.observer.stepping and self._are_gone(held):  # a closure may
                held.unused += 1
                self.swallows.lost()
            elif not held.steps:
                self.swallows.lost()

    @staticmethod
    def _is_uncleared(held: Held, parameter: torch.Tensor) -> bool:
        gradient = parameter.grad
        if gradient is None or id(gradient) != held.marks[id(parameter)][0]:
            return False
        if gradient._version == held.marks[id(parameter)][1]:
            return True
        return bool((reading.values_of(gradient) != 0).any())

    def backward_ended(self, *_: Any) -> None:
        self._served = False
        for held in self.held.values():
            held.made = {id(p): _mark(p.grad) for p in held.watched if p.grad is not None}
            if held.made:
                held.got_gradients = held.ever_got_gradients = True
                held.backwards += 1
                held.gathered += 1
                held.summed = _norm(held) if self.observer.full and held.gathered > 1 else None
        if any(held.unused or (held.backwards > MOST_GATHERED and not held.steps) for held in self.held.values()):
            self.swallows.look()
        if not self.held:
            self._step_without_optimizer()

    def _step_without_optimizer(self) -> None:
        """A hand-written update: the next backward shows whether the weights moved. Without a model they are whatever
        the loss reached, the same tensors or new ones in their place."""
        leaves = [leaf for ref in self.walked.leaves if (leaf := ref()) is not None] if self.walked is not None else []
        known: dict[int, list[torch.Tensor]] = {
            root.index: [p for _, p in root.parameters[:MOST_LEAVES]] for root in self.models.live()
        }
        for index, every in (known or {-1: leaves}).items():
            weights = [p for p in every if reading.readable(p)]
            if self.observer.functional or not weights:  # what is trained lives outside the modules
                continue
            norm = reading.length(reading.norms(weights))
            before = self._weights.get(index)
            if before is not None:
                self.weights_moved = bool(self.weights_moved) or norm != before
            self._weights[index] = norm
            self._way_taken(index, weights)

    def _way_taken(self, index: int, weights: list[torch.Tensor]) -> None:
        """One update lies between two backwards; the gradient of the first is what it should go against."""
        along = [float(_cosine(p.detach() - was, gradient)) for p, was, gradient in self._pushed.pop(index, ())]
        self._ways[index] += bool(along)
        if along:
            self.observer.emit(WayTaken(step=self.observer.step, rank=rank(), along=statistics.median(along)))
        if self._ways[index] < MOST_WAYS:
            taken = ((p, self.observer.taken.get(id(p), p.grad)) for p in weights if p.numel() <= MOST_ELEMENTS)
            self._pushed[index] = [
                (p, p.detach().clone(), gradient.detach().clone())
                for p, gradient in taken
                if gradient is not None and gradient.layout is torch.strided and gradient.shape == p.shape
            ]

    def step_begins(self, optimizer: torch.optim.Optimizer, arguments: Any, keywords: Any) -> None:
        held = self.of(optimizer)
        held.closure = bool(keywords.get("closure") or any(callable(item) for item in arguments[1:2]))
        if not held.watched:
            held.watch()
        if held.generation is not None and not held.steps:
            held.generation.starts(optimizer)
        held.forgotten += held.stateful and not _keeps(optimizer, held)
        held.reworked = None if held.summed is None else abs(_norm(held) - held.summed) > SAME_NORM * held.summed
        held.empty = held.got_gradients and not held.closure and self._are_gone(held)

    def _are_gone(self, held: Held) -> bool:
        return all(self._is_gone(held, p) for p in held.watched if id(p) in held.made)

    def _is_gone(self, held: Held, parameter: torch.Tensor) -> bool:
        """Cleared since the last backward. Zeros that backward itself made are gradients like others."""
        gradient = parameter.grad
        if gradient is None:
            return True
        return self.observer.full and _mark(gradient) != held.made[id(parameter)] and not _nonzero(gradient)

    def step_ended(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = self.of(optimizer)
        if held.index < 0:
            held.index = self._stepped
            self._stepped += 1
        fresh = {id(p) for p in held.watched if p.grad is not None and _mark(p.grad) != held.marks.get(id(p))}
        held.stateful = _keeps(optimizer, held)
        self.observer.emit(seen := self._seen(optimizer, held, fresh))
        self._count_idle(held, seen)
        if held.generation is not None and not self.observer.light:
            held.generation.stepped(held.watched)
        held.steps += 1
        self._served = True
        self.steps[held.site] += 1
        held.backwards = held.gathered = 0
        held.summed = None
        held.got_gradients = False
        held.marks = {id(p): _mark(p.grad) for p in held.watched if p.grad is not None}
        held.uncleared = set(held.marks)
        if self.walked is not None:
            self.walked.values_since_step = []

    def _count_idle(self, held: Held, seen: StepSeen) -> None:
        """Not all gradients are followed: where those that are followed are old, the norm of all tells of a new one."""
        known = all(reading.readable(p.grad) for p in held.parameters if p.grad is not None)
        was, held.norm = held.norm, seen.grad_norm
        old = seen.grad_norm == 0.0 or (not seen.fresh and seen.grad_norm == was)
        if held.closure or not (known and old):
            held.applied += 1
            for every in self.held.values():
                every.idle = 0
        else:
            held.idle += 1

    def _seen(self, optimizer: torch.optim.Optimizer, held: Held, fresh: set[int]) -> StepSeen:
        group = optimizer.param_groups[0]
        lr = float(group["lr"]) if "lr" in group else None
        values = self.walked.values_since_step if self.walked is not None else []
        gradients = [p.grad for p in held.parameters if p.grad is not None and reading.readable(p.grad)]
        weigh = self.observer.full or held.steps % WEIGHTS_EVERY == 0
        weights = [p for p in held.parameters if reading.readable(p) and not _is_shard(p)] if weigh else []
        return StepSeen(
            step=self.steps[held.site],
            rank=rank(),
            optimizer=held.index,
            name=held.name,
            site=sites.caller(),
            backward_site=self.walked.site if self.walked is not None else None,
            loss=values[-1] if values else None,
            seconds=self.observer.clock.seconds,
            backwards=held.backwards,
            closure=held.closure,
            held=len(held.parameters),
            fresh=len(fresh),
            bare=not held.got_gradients and not held.closure and all(p.grad is None for p in held.watched),
            frozen=sum(not p.requires_grad for p in held.watched) / max(1, len(held.watched)),
            stale=len(fresh & {one for one in held.uncleared if _was_added_to(held, one)}),
            empty=held.empty,
            built=held.site,
            lr=lr,
            by_hand=lr != held.given_lr,
            first_lr=float(group.get("initial_lr", held.first_lr or 0.0)) or None,
            grad_norm=reading.length(reading.norms(gradients)),
            weight_norm=reading.length(reading.norms(weights)) if weights else None,
            batch=self.models.batch,
            batch_rebuilt=self.models.batch_rebuilt,
            answers_kept=self.walked is not None and self.walked.answers_kept,
            rebuilt=held.generation.number if held.generation is not None else 0,
            stateful=held.stateful,
            forgotten=held.forgotten,
            reworked=held.reworked,
        )

    def ending(self, reason: str) -> Ending:
        stepped = [held for held in self.held.values() if held.steps]
        idle = [held for held in self.held.values() if not held.steps and held.ever_got_gradients]
        return Ending(
            reason=reason,
            backwards=self.observer.backwards,
            steps=max((held.steps for held in stepped), default=0),
            optimizers=tuple(held.name for held in self.held.values())[:8],
            unstepped={f"{held.name} built at {held.site}": held.backwards for held in idle[:8]},
            unused={f"{held.name} built at {held.site}": (held.unused, held.steps) for held in self.held.values()},
            swallowed=self.swallows.told(),
            weights_moved=self.weights_moved,
        )


def left_behind(entries: Iterable[Held]) -> list[Held]:
    """Optimizers that go on stepping although nothing they hold has got a gradient for some time. It had before."""
    return [entry for entry in entries if entry.applied and entry.idle]


def _cosine(moved: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cosine_similarity(moved.flatten().float(), gradient.flatten().float(), dim=0)


def _keeps(optimizer: torch.optim.Optimizer, held: Held) -> bool:
    return any(keeps(optimizer.state.get(p)) for p in held.watched)


def _mark(gradient: torch.Tensor) -> Mark:
    return id(gradient), gradient._version


def _was_added_to(held: Held, parameter: int) -> bool:
    """The last backward changed the very gradient that the step before had used; one that is assigned is another."""
    before, made = held.marks[parameter], held.made.get(parameter)
    return made is not None and made != before and made[0] == before[0]


def _is_shard(parameter: torch.Tensor) -> bool:
    """One rank's part of a parameter, under FSDP (FlatParameter in its first form, DTensor in its second)."""
    return type(parameter).__name__ in ("FlatParameter", "DTensor")


def _norm(held: Held) -> float:
    gradients = [p.grad for p in held.watched if p.grad is not None and reading.readable(p.grad)]
    return reading.length(reading.norms(gradients))


def _nonzero(gradient: torch.Tensor) -> bool:
    return bool((reading.values_of(gradient) != 0).any())


def install(observer: Observer, models: Models) -> Optimizers:
    optimizers = Optimizers(observer, models)
    observer.ending = optimizers.ending
    original = torch.optim.Optimizer.__init__

    @functools.wraps(original)
    def build(self: torch.optim.Optimizer, *arguments: Any, **keywords: Any) -> None:
        original(self, *arguments, **keywords)
        built(self)
        observer.tell(observer.moments.optimizer_built)

    built = observer.shielded("optimizers", optimizers.built)
    torch.optim.Optimizer.__init__ = build  # type: ignore[method-assign]
    states.watch_rates(observer.shielded("optimizers", optimizers.scheduled))
    moments = observer.moments
    moments.backward_begins.append(observer.shielded("optimizers", optimizers.backward_begins))
    moments.backward_ended.append(observer.shielded("optimizers", optimizers.backward_ended))
    moments.step_begins.append(observer.shielded("optimizers", optimizers.step_begins))
    moments.step_ended.append(observer.shielded("optimizers", optimizers.step_ended))
    for moment in (moments.batch_given, moments.model_returned, moments.step_ended):
        moment.append(optimizers.swallows.stop)

    def begins(optimizer: torch.optim.Optimizer, arguments: Any, keywords: Any) -> None:
        if not torch.compiler.is_compiling():
            observer.tell(moments.step_begins, optimizer, arguments, keywords)
            observer.stepping = True

    def ended(optimizer: torch.optim.Optimizer, arguments: Any, keywords: Any) -> None:
        if torch.compiler.is_compiling():
            return
        observer.stepping = False
        observer.tell(moments.step_ended, optimizer, arguments, keywords)
        observer.advance(max(optimizers.steps.values(), default=0))

    observer.optimizers = lambda: list(optimizers.held.values())
    observer.has_optimizer = lambda: bool(optimizers.held)
    observer.maximizes = optimizers.maximize
    register_optimizer_step_pre_hook(begins)
    register_optimizer_step_post_hook(ended)
    return optimizers
