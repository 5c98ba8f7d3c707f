"""Does training go on after an evaluation with what the last step left? Steps without one are the control."""

import weakref
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from firstlight.experiments.inside.copies import Part, equal, parts, statistics
from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Call
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.places import Site

MOST_EVALUATED = 8
LEAST_CALLS = 2
"""So many calls without gradients between two steps are an evaluation; one is a sample, an action, a label."""


@dataclass
class _Model:
    ref: "weakref.ref[torch.nn.Module]"
    name: str
    left: tuple[Part, Part] | None = None
    """Weights and running statistics, as the last step left them."""
    calls: int = 0
    """Without gradients, since that step."""
    site: Site | None = None
    in_eval: bool = False
    evaluations: int = 0
    weights: int = 0
    """Evaluations after which they were others, and below steps without an evaluation after which they were."""
    statistics: int = 0
    between: int = 0


class EvaluatedStates:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._models: dict[int, _Model] = {}

    def returned(self, call: Call) -> None:
        known = self._models.get(id(call.module))
        if known is None or known.ref() is not call.module:
            if call.training and call.module.training and len(self._models) < MOST_EVALUATED:
                self._models[id(call.module)] = _Model(weakref.ref(call.module), type(call.module).__name__)
        elif not call.training:
            known.calls += 1
            known.in_eval = known.in_eval or not call.module.training
            known.site = known.site or sites.caller()

    def called(self, with_gradients: bool) -> None:
        """Of whichever model: the next step is prepared."""
        for known in self._models.values() if with_gradients else ():
            module = known.ref()
            if module is not None and known.left is not None and module.training:
                self._compare(known, (parts(module.parameters()), parts(statistics(module))))
                known.left = None

    def _compare(self, known: _Model, now: tuple[Part, Part]) -> None:
        assert known.left is not None
        weights, moved = (not equal(was, part) for was, part in zip(known.left, now, strict=True))
        if known.calls >= LEAST_CALLS:
            known.evaluations += 1
            known.weights += weights and not _is_pruned(known.left[0], now[0])
            known.statistics += moved
        else:
            known.between += weights or moved

    def stepped(self) -> None:
        for known in self._models.values():
            if (module := known.ref()) is not None:
                known.left = parts(module.parameters()), parts(statistics(module))
                known.calls = 0

    def seen(self) -> Iterator[EvaluationLeaves]:
        for known in self._models.values():
            if known.weights or known.statistics:
                yield EvaluationLeaves(
                    site=known.site,
                    model=known.name,
                    evaluations=known.evaluations,
                    weights=known.weights,
                    statistics=known.statistics,
                    between=known.between,
                    in_eval=known.in_eval,
                )


def _is_pruned(was: Part, now: Part) -> bool:
    """More of them are zero than before: somebody takes weights away, round by round."""
    return sum(int((part == 0).sum()) for part in now) > sum(int((part == 0).sum()) for part in was)


def install(observer: Observer) -> EvaluatedStates:
    states = EvaluatedStates(observer)
    observer.moments.model_returned.append(observer.shielded("evaluated states", states.returned))
    observer.moments.model_called.append(observer.shielded("evaluated states", states.called))
    observer.moments.next_step.append(observer.shielded("evaluated states", states.stepped))
    return states
