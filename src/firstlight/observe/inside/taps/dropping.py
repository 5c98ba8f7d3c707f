"""What a model that is in eval mode drops all the same.

The first calls of a model without gradients are followed, operation by operation. One that drops is asked twice: where
it gives another result for the same input, the mode of the model does not reach it. The same input given again before
the next step, or many times over in one batch, is sampling, and on purpose.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.nn import functional as F

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.examples import differing
from firstlight.observe.inside.taps.handlers import argument
from firstlight.observe.inside.taps.models import Call, Models
from firstlight.observe.inside.taps.operations import Operations
from firstlight.records.places import Site
from firstlight.records.training import EvalDropping

MOST_IN_EVAL = 12
"""Of a model in eval mode that are followed; more are only known again."""
MOST_KNOWN = 4096


class _Signature(NamedTuple):
    """Where a function takes what turns it on."""

    probability: tuple[int, str]
    training: tuple[int, str] | None


PLAIN = _Signature((1, "p"), (2, "training"))
DROPS = {
    **dict.fromkeys(
        ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"), PLAIN
    ),
    "scaled_dot_product_attention": _Signature((4, "dropout_p"), None),
    "multi_head_attention_forward": _Signature((10, "dropout_p"), (13, "training")),
}


@dataclass
class _StillDrops:
    operation: str = ""
    site: Site | None = None
    calls: int = 0
    probability: float = 0.0
    apart: float = 0.0
    resampled: bool = False
    known: set[str] = field(default_factory=set)
    """What the model was given since the step below."""
    step: int = -1


class DroppingTap:
    def __init__(self, observer: Observer, models: Models, mode: Operations) -> None:
        self.observer, self.models, self.mode = observer, models, mode
        self.note = observer.shielded("dropping", self._note)
        self._dropped: dict[int, _StillDrops] = {}
        self._calls = 0
        self._model: int | None = None
        """That is being called in eval mode."""
        self._found = False
        """In this call."""

    def model_called(self, gradients: bool) -> None:
        self._model, self._found = None, False
        module = self.models.running
        if gradients or module is None or self._calls >= MOST_IN_EVAL:
            return
        root = self.models.roots.get(id(module))
        if root is None or root.ref() is not module:
            return
        if not any(child.training for child in module.modules()):
            self._calls += 1
            self._model = root.index
            self.mode.follow_by(self.note)

    def _note(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if self._model is None or self._found or name not in DROPS or not self.models.inside:
            return
        probability = _probability(DROPS[name], args, kwargs)
        made = result[0] if isinstance(result, tuple) else result
        if not 0 < probability < 1 or not isinstance(made, torch.Tensor) or not reading.readable(made):
            return
        apart = _apart(name, args, kwargs, made)
        if apart > 0:
            found = self._dropped.setdefault(self._model, _StillDrops())
            found.operation, found.site = name, found.site or sites.caller()
            found.probability, found.apart = probability, max(found.apart, apart)
            self._found = True

    def returned(self, call: Call) -> None:
        root = self.models.roots.get(id(call.module))
        if call.training or root is None or call.module.training:
            return
        dropped = self._dropped.get(root.index)
        if dropped is None or (not self._found and len(dropped.known) >= MOST_KNOWN):
            return
        dropped.calls += self._found
        if dropped.step != self.observer.step:
            dropped.step, dropped.known = self.observer.step, set()
        first = next((one for one in call.inputs if one.ndim and reading.readable(one)), None)
        told = reading.fingerprint(call.inputs)
        count = None if first is None or first.is_complex() else differing(first, len(first))
        many = first is not None and count is not None and 2 * count <= len(first)
        dropped.resampled = dropped.resampled or told in dropped.known or many
        dropped.known.add(told)
        self._model, self._found = None, False

    def seen(self, model: int) -> EvalDropping | None:
        found = self._dropped.get(model)
        if found is None or not found.calls:
            return None
        return EvalDropping(
            operation=found.operation,
            site=found.site,
            calls=found.calls,
            probability=found.probability,
            apart=found.apart,
            resampled=found.resampled,
        )


def _probability(signature: _Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """With which it drops; none where it is turned off."""
    on = True if signature.training is None else argument(args, kwargs, *signature.training, default=True)
    found = argument(args, kwargs, *signature.probability, default=0.5 if signature is PLAIN else 0.0)
    return float(found) if on and isinstance(found, int | float) else 0.0


def _apart(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: torch.Tensor) -> float:
    """By how much a second result differs, as a part of the first; the program's random numbers stay as they are."""
    if DROPS[name] is PLAIN:
        args = args[:3]  # not in place, and where it was, what it gave is dropped from once more
        kwargs = {key: value for key, value in kwargs.items() if key != "inplace"}
    with torch.random.fork_rng(devices=[made.device] if made.is_cuda else []), torch.no_grad():
        again = getattr(F, name)(*args, **kwargs)
    again = again[0] if isinstance(again, tuple) else again
    size = float(made.detach().double().square().mean().sqrt())
    return float((again.double() - made.detach().double()).square().mean().sqrt()) / size if size > 0 else 0.0


def install(observer: Observer, models: Models, mode: Operations) -> DroppingTap:
    tap = DroppingTap(observer, models, mode)
    observer.moments.model_called.append(observer.shielded("dropping", tap.model_called))
    observer.moments.model_returned.append(observer.shielded("dropping", tap.returned))
    return tap
