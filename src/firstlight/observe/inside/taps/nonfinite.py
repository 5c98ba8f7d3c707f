"""The first NaN or infinity: in the inputs, in a module's output, in the loss, in a gradient or in the weights.

The usual step costs one sum of the inputs and the loss itself. Only when a loss is not finite is its graph
searched: each node kept what it needs for the backward pass, and that shows which operation was given finite
numbers and made the first bad one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside import graph, reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.singularities import BACKWARD, FORWARD, Singularity
from firstlight.observe.inside.taps.backward import Walked
from firstlight.observe.inside.taps.models import Call, Models
from firstlight.observe.inside.taps.optimizers import Optimizers
from firstlight.records.nonfinite import NonFinite
from firstlight.records.places import Site

MOST_EARLIER = 12


@dataclass(frozen=True)
class Culprit:
    operation: str
    detail: str
    site: Site | None


def first_singular(root: torch.Tensor, table: Sequence[Singularity], walked: Walked) -> Culprit | None:
    """The singular node furthest from the loss: what comes after it only passed the bad value on."""
    by_node: dict[str, list[Singularity]] = {}
    for entry in table:
        by_node.setdefault(entry.node, []).append(entry)
    found: Culprit | None = None
    for index, node in enumerate(graph.nodes_behind(root)):
        name = graph.name_of(node)
        for entry in by_node.get(name, ()):
            kept = graph.saved_tensors(node).get(entry.kept)
            if kept is None or not reading.readable(kept):
                continue
            count = int(entry.bad(kept).sum().item())
            if count:
                site = walked.lines.get(node) or _line(walked, index, name)
                found = Culprit(operation=entry.operation, detail=entry.words.format(n=count), site=site)
    return found


def _line(walked: Walked, index: int, name: str) -> Site | None:
    """The same place in the last graph whose lines are known, if the node there has the same name."""
    if index < len(walked.blueprint) and walked.blueprint[index][0] == name:
        return walked.blueprint[index][1]
    return next((site for other, site in reversed(walked.blueprint) if other == name), None)


class Watch:
    def __init__(self, observer: Observer, models: Models, optimizers: Optimizers, walked: Walked) -> None:
        self.observer, self.models, self.optimizers, self.walked = observer, models, optimizers, walked
        self._told: set[str] = set()
        self._risk: Culprit | None = None

    def model_returned(self, call: Call) -> None:
        if not call.training or "input" in self._told:
            return
        bad = next((tensor for tensor in call.inputs if not reading.all_finite(tensor)), None)
        if bad is None or all(reading.all_finite(tensor) for tensor in reading.tensors_in(call.output)):
            return  # a model may well be made to take missing values; then its output is finite
        share = reading.nonfinite_share(bad)
        detail = f"{share:.1%} of the values of an input of shape {tuple(bad.shape)}"
        self._tell("input", sites.caller(), module=type(call.module).__name__, detail=detail, share=share)

    def module_returned(self, module: torch.nn.Module, given: list[torch.Tensor], made: list[torch.Tensor]) -> None:
        if "activation" in self._told or all(reading.all_finite(tensor) for tensor in made):
            return
        if all(reading.all_finite(tensor) for tensor in given):
            weights = all(reading.all_finite(p) for p in module.parameters(recurse=False))
            detail = "its inputs and weights are finite" if weights else "its own weights are not finite"
            kind = "activation" if weights else "parameter"
            self._tell(kind, sites.caller(), module=self.models.path_of(module), detail=detail)

    def backward_begins(self, root: torch.Tensor, _retain: bool, functional: bool) -> None:
        if functional:
            return
        if self.observer.full:
            self._risk = first_singular(root, BACKWARD, self.walked)
        if "loss" in self._told or reading.all_finite(root):
            return
        culprit = first_singular(root, FORWARD, self.walked)
        poisoned = self._poisoned()
        if poisoned is not None:
            self._tell("parameter", self.walked.site, module=poisoned, detail="weights are not finite before the step")
        site = culprit.site if culprit is not None and culprit.site is not None else self.walked.site
        self._tell(
            "loss",
            site,
            operation=culprit.operation if culprit is not None else None,
            detail=culprit.detail if culprit is not None else "",
        )

    def _poisoned(self) -> str | None:
        for root in self.models.live():
            for name, parameter in root.parameters:
                if not reading.all_finite(parameter):
                    return name
        return None

    def step_ended(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        if "gradient" in self._told:
            return
        held = self.optimizers.of(optimizer)
        found = [p for p in held.parameters if p.grad is not None and reading.readable(p.grad)]
        norms = reading.norms([p.grad for p in found if p.grad is not None])
        bad = [p for p, norm in zip(found, norms, strict=True) if not math.isfinite(norm)]
        if not bad or all(reading.all_finite(p.grad) for p in bad if p.grad is not None):
            return
        name = next((n for root in self.models.live() for n, p in root.parameters if p is bad[0]), "a parameter")
        risk = self._risk
        self._tell(
            "gradient",
            risk.site if risk is not None and risk.site is not None else self.walked.site,
            module=name,
            operation=risk.operation if risk is not None else None,
            detail=risk.detail if risk is not None else f"{len(bad)} of {len(found)} gradients, `{name}` among them",
        )

    def _tell(self, kind: str, site: Site | None, **more: Any) -> None:
        if kind in self._told:
            return
        self._told.add(kind)
        earlier = tuple(value for value in self.walked.losses[-MOST_EARLIER - 1 : -1])
        self.observer.emit(
            NonFinite(
                kind=kind,
                site=site,
                earlier=earlier if kind != "input" else tuple(self.walked.losses[-MOST_EARLIER:]),
                scaled=self.observer.scale != 1.0,
                **more,
            )
        )


def install(observer: Observer, models: Models, optimizers: Optimizers, walked: Walked) -> None:
    watch = Watch(observer, models, optimizers, walked)
    moments = observer.moments
    moments.model_returned.append(observer.shielded("nonfinite", watch.model_returned))
    moments.module_returned.append(observer.shielded("nonfinite", watch.module_returned))
    moments.backward_begins.append(observer.shielded("nonfinite", watch.backward_begins))
    moments.step_ended.append(observer.shielded("nonfinite", watch.step_ended))
