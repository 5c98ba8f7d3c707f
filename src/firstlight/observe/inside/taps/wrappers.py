"""DistributedDataParallel: whether the calls of training go through the wrapper that averages the gradients."""

import weakref
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.nn.parallel import DistributedDataParallel

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer, world
from firstlight.records.places import Site
from firstlight.records.program import Wrapped


@dataclass
class Wrapper:
    ref: "weakref.ref[torch.nn.Module]"
    name: str
    through: int = 0
    beside: int = 0
    site: Site | None = None


class Watch:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._wrappers: dict[int, Wrapper] = {}
        self._open = 0

    def before(self, module: torch.nn.Module, _given: Any) -> None:
        if isinstance(module, DistributedDataParallel):
            self._open += 1
            if (known := self._wrappers.get(id(module.module))) is not None:
                known.through += torch.is_grad_enabled()

    def after(self, module: torch.nn.Module, _given: Any, _made: Any) -> None:
        if isinstance(module, DistributedDataParallel):
            self._open = max(0, self._open - 1)

    def built(self, wrapper: DistributedDataParallel) -> None:
        inner = wrapper.module
        self._wrappers[id(inner)] = Wrapper(weakref.ref(inner), type(inner).__name__)

    def model_returned(self, call: Any) -> None:
        known = self._wrappers.get(id(call.module))
        if known is not None and call.training and not self._open:
            known.beside += 1
            known.site = known.site or sites.caller()

    def tell(self) -> None:
        for known in self._wrappers.values():
            if known.ref() is not None:
                self.observer.emit(
                    Wrapped(
                        module=known.name, site=known.site, through=known.through, beside=known.beside, world=world()
                    )
                )


def install(observer: Observer) -> None:
    watch = Watch(observer)
    original = DistributedDataParallel.__init__
    built = observer.shielded("wrappers", watch.built)

    def build(self: DistributedDataParallel, *arguments: Any, **keywords: Any) -> None:
        original(self, *arguments, **keywords)
        built(self)

    DistributedDataParallel.__init__ = build  # type: ignore[method-assign]
    register_module_forward_pre_hook(watch.before)
    register_module_forward_hook(watch.after)
    observer.moments.model_returned.append(observer.shielded("wrappers", watch.model_returned))
    observer.moments.milestone.append(observer.shielded("wrappers", watch.tell))
