"""Root models: the outermost modules called, with what they were given and whether they were training."""

import sys
import threading
import warnings
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.feed import named
from firstlight.observe.inside.given import LastGiven
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer, torch_traces
from firstlight.records.places import Site
from firstlight.records.program import ModelSeen

MOST_INPUTS = 1024
"""Kept of a step: what an agent is given while it acts is held until the step ends."""
MOST_FINGERPRINTED = 64
"""Steps whose inputs are compared with those of the step before."""
MOST_ROOTS = 32
"""A program that makes more models than this is a search; the first ones stand for the rest."""


@dataclass(frozen=True)
class Call:
    """An outermost module call, as it returned."""

    module: torch.nn.Module
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    inputs: list[torch.Tensor]
    """The tensors in both."""
    output: Any
    training: bool
    """Gradients were enabled."""

    @property
    def question(self) -> list[torch.Tensor]:
        """What the model predicts from: all that it is given, less what is named as a target."""
        return list(named(self.arguments, self.keywords).values())


@dataclass
class Root:
    """A model called with gradients enabled. The program owns it; we only look."""

    index: int
    ref: "weakref.ref[torch.nn.Module]"
    name: str
    site: Site | None
    backwards: int = 0

    @property
    def parameters(self) -> list[tuple[str, torch.nn.Parameter]]:
        module = self.ref()
        return [] if module is None else list(module.named_parameters())

    def silenced(self) -> bool:
        """In eval mode throughout, although it is trained and has layers that behave otherwise in training."""
        module = self.ref()
        if module is None or module.training or not any(one.requires_grad for one in module.parameters()):
            return False
        noisy = [child for child in module.modules() if acts_by_mode(child)]
        return bool(noisy) and not any(child.training for child in noisy)


def acts_by_mode(layer: torch.nn.Module) -> bool:
    """It does something else in training than in evaluation, as it is set: a dropout of nothing does not."""
    if isinstance(layer, torch.nn.modules.dropout._DropoutNd):
        return layer.p > 0
    if isinstance(layer, torch.nn.modules.batchnorm._NormBase):
        return layer.track_running_stats
    if isinstance(layer, torch.nn.RNNBase):
        return layer.dropout > 0 and layer.num_layers > 1
    if isinstance(layer, torch.nn.MultiheadAttention):
        return bool(layer.dropout)
    return isinstance(layer, torch.nn.RReLU)


class Models:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.roots: dict[int, Root] = {}
        self.since_backward: list[Root] = []
        self.inputs: list[torch.Tensor] = []
        """What the models were given since the last step, without graphs; let go when it ends."""
        self.batch: str | None = None
        self.batch_rebuilt = False
        self.called_with_grad: ByIdentity[bool] = ByIdentity()
        self.called_without_grad: ByIdentity[bool] = ByIdentity()
        self.inside = False
        """A module with parameters is running."""
        self.running: torch.nn.Module | None = None
        """The outermost of those that are."""
        self._begun = False
        self._places = LastGiven()
        """Address and size of each."""
        self._local = threading.local()

    def before(self, module: torch.nn.Module, _arguments: Any) -> None:
        if torch_traces():
            return
        self._local.depth = depth = getattr(self._local, "depth", 0) + 1
        if depth == 1:
            self._local.handled = sys.exc_info()[1]
            self.inside = next(module.parameters(), None) is not None
            self.running = module
            if self.inside and self._begun:
                self.observer.tell(self.observer.moments.model_called, torch.is_grad_enabled())
        if not self._begun and torch.is_grad_enabled() and next(module.parameters(), None) is not None:
            self.observer.entering = module
            self.begin()
            self.observer.entering = None

    def begin(self) -> None:
        if not self._begun:
            self._begun = True
            self.observer.tell(self.observer.moments.training_begins)

    def after(self, module: torch.nn.Module, arguments: Any, *rest: Any) -> None:
        """`rest` is the keywords and the output; where forward raised, torch leaves the keywords out."""
        if torch_traces():
            return
        keywords, output = rest if len(rest) > 1 else ({}, None)
        self._local.depth = depth = max(0, getattr(self._local, "depth", 1) - 1)
        self.inside = self.inside and depth > 0
        self.running = self.running if depth > 0 else None
        observer = self.observer
        if observer.reading or observer.inert:
            return
        training = torch.is_grad_enabled()
        if self._raised():
            if depth == 0 and training and not observer.in_backward:  # recomputing, torch stops itself by raising
                observer.tell(observer.moments.model_failed, module, sys.exc_info()[1])
            return
        if observer.full:
            (self.called_with_grad if training else self.called_without_grad)[module] = True
            if training and not observer.in_backward and observer.moments.module_returned:
                given = [*reading.tensors_in(arguments), *reading.tensors_in(keywords)]
                observer.tell(observer.moments.module_returned, module, given, list(reading.tensors_in(output)))
        if depth == 0 and not observer.in_backward and next(module.parameters(), None) is not None:
            given = [*reading.tensors_in(arguments), *reading.tensors_in(keywords)]
            call = Call(module, arguments, keywords, given, output, training)
            observer.tell(observer.moments.model_returned, call)

    def _raised(self) -> bool:
        """By another exception than one that was being handled when the outermost module was called."""
        error = sys.exc_info()[1]
        return error is not None and error is not getattr(self._local, "handled", None)

    def returned(self, call: Call) -> None:
        if not call.training:
            return
        root = self.roots.get(id(call.module))
        if root is None or root.ref() is not call.module:
            root = self._meet(call.module)
        if root is not None:
            self.since_backward.append(root)
        given = call.inputs[: MOST_INPUTS - len(self.inputs)]
        self.inputs += [tensor if tensor.grad_fn is None else tensor.detach() for tensor in given]

    def _meet(self, module: torch.nn.Module) -> Root | None:
        if len(self.roots) >= MOST_ROOTS:
            return None
        original = getattr(module, "_orig_mod", module)
        site = sites.caller()
        root = Root(index=len(self.roots), ref=weakref.ref(module), name=type(original).__name__, site=site)
        self.roots[id(module)] = root
        parameters = list(module.parameters())
        self.observer.emit(
            ModelSeen(
                model=root.index,
                name=root.name,
                site=site,
                tensors=len(parameters),
                elements=sum(p.numel() for p in parameters),
                trainable=sum(p.numel() for p in parameters if p.requires_grad),
                compiled=original is not module,
            )
        )
        return root

    def backward_ended(self, _root: torch.Tensor) -> None:
        for root in self.since_backward:
            root.backwards += 1
        self.since_backward = []

    def step_ended(self, *_: Any) -> None:
        """Fingerprints what this step was fed and lets go of it."""
        self.batch = None
        if self.observer.step < MOST_FINGERPRINTED:
            telling = [tensor for tensor in self.inputs if _tells_batches_apart(tensor)]
            self.batch = reading.fingerprint(telling) or None
            self.batch_rebuilt = not self._places.again(telling)
        self.inputs = []

    def live(self) -> Iterator[Root]:
        yield from (root for root in self.roots.values() if root.ref() is not None)

    def path_of(self, module: torch.nn.Module) -> str:
        """Its name in a root model, or its class."""
        for root in self.live():
            parent = root.ref()
            for name, child in parent.named_modules() if parent is not None else ():
                if child is module:
                    return name or type(module).__name__
        return type(module).__name__


def _tells_batches_apart(tensor: torch.Tensor) -> bool:
    """Examples that are all alike, such as zeros for a first state, are the same in every batch by nature."""
    if not reading.readable(tensor) or tensor.is_sparse:
        return False
    found = reading.sample_of(tensor)
    return not found.ndim or len(found) <= 1 or bool((found[1:] != found[:1]).any())


def install(observer: Observer) -> Models:
    models = Models(observer)
    warnings.filterwarnings("ignore", message=r"Using `torch.compile\(module\)` when there are global hooks")
    register_module_forward_pre_hook(observer.unable_to_raise("models", models.before))
    register_module_forward_hook(observer.unable_to_raise("models", models.after), with_kwargs=True, always_call=True)
    observer.moments.model_returned.append(observer.shielded("models", models.returned))
    observer.moments.backward_ended.append(observer.shielded("models", models.backward_ended))
    observer.moments.step_ended.append(observer.shielded("models", models.step_ended))
    return models
