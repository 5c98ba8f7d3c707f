"""Evaluations as they happen: what models are asked without gradients, and what their predictions are compared with.

Answers come with the batch of a loader, meet predictions in a call of torch, or are given to a metric of scikit-learn.
Whatever comes of a prediction is marked, so that of two tensors that are compared it is known which is the answer.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import metric_calls, reading
from firstlight.observe.inside.feed import named
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.imports import when_imported
from firstlight.observe.inside.relations.in_order import tensors_of
from firstlight.observe.inside.taps.losses import FUNCTIONS
from firstlight.observe.inside.taps.models import Call
from firstlight.observe.inside.taps.operations import Operations
from firstlight.observe.inside.taps.relations import RelationsTap

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

COMPARED = frozenset({"eq", "__eq__", "ne", "__ne__", "sub", "__sub__", "rsub", "__rsub__", *FUNCTIONS})
MOST_VALUES = 1 << 20
"""Of answers that are given to a metric."""


class HeldOutTap:
    def __init__(self, observer: "Observer", mode: Operations, relations: RelationsTap) -> None:
        self.observer, self.mode, self.relations = observer, mode, relations
        self.held_out = relations.held_out
        self.note = observer.shielded("held-out", self._note)
        self._predicted: ByIdentity[Hashable] = ByIdentity()
        """Of which output of the model a tensor was made, or of which column of it."""
        self._loader: Any = None
        self._batch: list[torch.Tensor] = []
        """What a loader gave since training paused."""

    @property
    def _wanted(self) -> bool:
        return self.observer.timeline is None and not self.observer.light and self.held_out.open

    def batch_given(self, loader: Any, batch: Any) -> None:
        self._loader, self._batch = loader, tensors_of(batch) if self._wanted else []

    def model_called(self, gradients: bool) -> None:
        if not gradients and self._wanted:
            self.mode.follow_by(self.note)

    def returned(self, call: Call) -> None:
        if call.training or not self._wanted or reading.transformed():
            return
        given = list(named(call.arguments, call.keywords).values())
        count = max((len(tensor) for tensor in given if tensor.ndim), default=0)
        whole = bool(self._batch) and len(self._batch[0]) == count
        source = getattr(self._loader, "dataset", None) if whole else None
        self.held_out.asked(given, self._loaded(given) if whole else None, source)
        for place, tensor in enumerate(reading.tensors_in(call.output)):
            self._predicted[tensor] = place

    def _loaded(self, given: list[torch.Tensor]) -> torch.Tensor | None:
        """The answer is where it is in the batches that are trained on."""
        for line in self.relations.lines.values():
            places = line.loaded[1] if line.loaded is not None else None
            if places is not None and max(places) < len(self._batch):
                inputs, answer = self._batch[places.given], self._batch[places.answer]
                if any(tensor.shape == inputs.shape for tensor in given) and len(answer) == len(inputs):
                    return answer
        return None

    def _note(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], result: Any) -> None:
        tensors = [*reading.tensors_in(arguments), *reading.tensors_in(keywords)]
        told = [tensor in self._predicted for tensor in tensors]
        if not any(told):
            return
        place = self._place(name, arguments, tensors[told.index(True)])
        for tensor in reading.tensors_in(result):
            self._predicted[tensor] = place
        if name in COMPARED and len(tensors) > 1 and told[:2].count(True) == 1:
            answer, predicted = tensors[told.index(False)], tensors[told.index(True)]
            alone = not any(tensor.requires_grad for tensor in tensors)
            if alone and answer.ndim and predicted.ndim and len(answer) == len(predicted):
                self.held_out.met(answer, place)

    def _place(self, name: str, arguments: tuple[Any, ...], predicted: torch.Tensor) -> Hashable:
        columns = name == "__getitem__" and isinstance(arguments[1], tuple)
        of = self._predicted.get(predicted, None)
        return (of, repr(arguments[1])) if columns else of

    def metric(self, name: str, arguments: tuple[Any, ...], found: Any) -> None:
        """scikit-learn takes the answers first. What is no array of numbers is none of ours, and raises."""
        if self.observer.timeline is None and not self._wanted:
            self.held_out.no_more_scores()
        if not self._wanted or not arguments or len(arguments[0]) > MOST_VALUES:
            return
        answers = arguments[0].to_numpy() if hasattr(arguments[0], "to_numpy") else arguments[0]
        part = self.held_out.met(torch.as_tensor(answers))
        if part is not None:
            part.scores[name] = float(found)

    def backward_begins(self, *_: Any) -> None:
        self._loader, self._batch = None, []
        self.held_out.training_goes_on(self.observer.step)


def install(observer: "Observer", mode: Operations, relations: RelationsTap) -> None:
    tap, moments = HeldOutTap(observer, mode, relations), observer.moments
    for moment in (moments.batch_given, moments.batch_asked):
        moment.append(observer.shielded("held-out", tap.batch_given))
    moments.model_called.append(observer.shielded("held-out", tap.model_called))
    moments.model_returned.append(observer.shielded("held-out", tap.returned))
    moments.backward_begins.append(observer.shielded("held-out", tap.backward_begins))
    when_imported("sklearn.metrics", lambda module: metric_calls.follow(module, _quietly(observer, tap)))


def _quietly(observer: "Observer", tap: HeldOutTap) -> metric_calls.Heard:
    """An answer that cannot be read is no fault, so that later ones are heard."""

    def heard(name: str, arguments: tuple[Any, ...], found: Any) -> None:
        with observer.quiet():
            tap.metric(name, arguments, found)

    return heard
