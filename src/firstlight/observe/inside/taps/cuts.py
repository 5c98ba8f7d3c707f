"""Operations after which no gradient flows, on tensors that trainable parameters had made."""

from collections import Counter
from typing import Any

import torch

from firstlight.observe.inside import graph, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.backward import Walked
from firstlight.observe.inside.taps.handlers import Handlers, argument
from firstlight.records.places import Site
from firstlight.records.sighting import Some
from firstlight.records.training import Cut

FLAT = ("round", "sign", "floor", "ceil", "trunc")
"""Steps and nothing but steps: the gradient that they hand on is zero everywhere."""
CUTTING = ("detach", "detach_", "data", "numpy", "item", "tolist", "argmax", "argsort", "tensor", *FLAT)
MOST_CUTS = 40


class Cuts:
    """Remembers, for the parameters behind each cut, where it was made; the census asks."""

    def __init__(self, observer: Observer, walked: Walked) -> None:
        self.observer, self.walked = observer, walked
        self._seen: Counter[tuple[str, Site | None]] = Counter()

    def cut(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        tensor = argument(args, kwargs, 0, "self")
        if not isinstance(tensor, torch.Tensor) or tensor.grad_fn is None or len(self._seen) > MOST_CUTS:
            return
        site = sites.caller(2)
        self._seen[name, site] += 1
        if site is None or self._seen[name, site] > 1:
            return
        behind = graph.parameters_behind(tensor)
        for identity in behind:
            self.walked.cuts.setdefault(identity, (name, site))
        self.observer.emit(Cut(operation=name, site=site, parameters=Some(tensors=len(behind))))


def handlers(observer: Observer, walked: Walked) -> Handlers:
    cuts = Cuts(observer, walked)
    return Handlers(after=dict.fromkeys(CUTTING, cuts.cut))
