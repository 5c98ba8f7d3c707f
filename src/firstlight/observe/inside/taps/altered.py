"""Gradients that are not what autograd gave: changed by a hook on the way, or between the backward and the step."""

import functools
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.between import some_of
from firstlight.observe.inside.taps.optimizers import Optimizers
from firstlight.records.places import Site
from firstlight.records.taped import AlteredSeen

MOST_ELEMENTS = 1 << 18
"""Of a gradient that a hook is given: a copy is made, because it may be written to in place. More are sampled."""
MOST_LOOKS = 24
"""At each line."""
EVERY_STEP, SAMPLE_EVERY = 24, 25
CHANGED = 0.01
"""Of its square, or of its elements; less is not worth telling."""
SHRUNK = 0.1
"""Of its length; a gradient of which more is left is clipped as gradients usually are."""
WATCHED = "_firstlight_watched"
HOOK, PROGRAM = "a hook", "the program"


class GradientWatch:
    def __init__(self, observer: Observer, optimizers: Optimizers) -> None:
        self.observer, self.optimizers = observer, optimizers
        self._looks: Counter[tuple[str, Site | None]] = Counter()
        self._left: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        """Tensors that optimizers hold, with the gradient that the last backward left in them."""
        self._backwards = 0
        """Since the last step: gradients of several are put together by rules of the program's own."""
        self.limited: Site | None = None
        """Where `clip_grad_value_` was called since the last step."""

    def watched(self, hook: Callable[..., Any], given: int, name: str) -> Callable[..., Any]:
        """The same hook, whose effect on its argument in place `given` is measured."""
        if getattr(hook, WATCHED, False):
            return hook
        site = sites.caller(3)
        before, after = self.observer.shielded("altered", self._keep), self.observer.shielded("altered", self._hooked)

        @functools.wraps(hook)
        def call(*arguments: Any) -> Any:
            if not self.observer.clips:
                return unshrunk(hook, given, arguments)
            kept: list[torch.Tensor] = []
            before(kept, site, arguments[given])
            result = hook(*arguments)
            if kept:
                after(kept[0], arguments[given] if result is None else result, name, site)
            return result

        setattr(call, WATCHED, True)
        return call

    def after_sum(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        """The same hook on a parameter whose gradient is complete. One that steps by itself uses the gradient up."""
        site = sites.caller(3)
        before, after = self.observer.shielded("altered", self._keep), self.observer.shielded("altered", self._hooked)

        @functools.wraps(hook)
        def call(parameter: torch.Tensor) -> Any:
            kept: list[torch.Tensor] = []
            if self.observer.clips:
                before(kept, site, parameter.grad)
            elif parameter.grad is not None:
                kept.append(parameter.grad.detach().clone())
            version = parameter._version
            result = hook(parameter)
            gradient = parameter.grad
            if kept and gradient is not None and parameter._version == version:
                if self.observer.clips:
                    after(kept[0], gradient, "a tensor", site)
                else:
                    parameter.grad = put_back(kept[0], gradient.detach())
            return result

        return call

    def _keep(self, kept: list[torch.Tensor], site: Site | None, gradient: Any) -> None:
        found = next(reading.tensors_in(gradient), None)
        if found is None or self._looks[HOOK, site] >= MOST_LOOKS or self.observer.light:
            return
        if reading.readable(found) and not found.is_sparse and found.numel() > 1:
            kept.append(_sample(found).clone())

    def _hooked(self, before: torch.Tensor, gradient: Any, name: str, site: Site | None) -> None:
        after = next(reading.tensors_in(gradient), None)
        now = None if after is None or after.is_sparse else _sample(after)
        if now is not None and now.shape == before.shape:
            self._tell(HOOK, name, site, before, now)

    def backward_ended(self, _root: torch.Tensor) -> None:
        step = self.observer.step
        self._backwards += 1
        if not self.observer.clips and self.observer.scale == 1.0:
            self._left = {
                id(p): (p, p.grad.detach().clone())
                for held in self.optimizers.held.values()
                for p in held.parameters
                if p.grad is not None and not p.grad.is_sparse
            }
        if self.observer.light or (step >= EVERY_STEP and step % SAMPLE_EVERY):
            return
        for held in self.optimizers.held.values():
            for parameter in some_of(held.parameters):
                gradient = parameter.grad
                if gradient is not None and not gradient.is_sparse:
                    self._left[id(parameter)] = (parameter, gradient.detach().clone())

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        mine = [self._left.pop(id(p)) for p in self.optimizers.of(optimizer).parameters if id(p) in self._left]
        if not self.observer.clips:
            for parameter, was in mine:
                if parameter.grad is not None:
                    parameter.grad.copy_(put_back(was, parameter.grad.detach()))
            return
        if self._backwards != 1:
            return
        found = [(was, p.grad.detach()) for p, was in mine if p.grad is not None and not p.grad.is_sparse]
        if found and any(bool(now.any()) for _, now in found):
            flat = [torch.cat([pair[at].flatten().float() for pair in found]) for at in (0, 1)]
            self._tell(PROGRAM, "the weights", self.limited or sites.caller(), *flat)

    def step_ended(self, *_: Any) -> None:
        self._left.clear()
        self._backwards = 0
        self.limited = None

    def _tell(self, by: str, name: str, site: Site | None, before: torch.Tensor, after: torch.Tensor) -> None:
        self._looks[by, site] += 1
        if self._looks[by, site] > MOST_LOOKS:
            return
        flipped, turned, cosine, lost, uneven = compared(before, after)
        kept, bounded = shortened(before, after)
        if by == PROGRAM and self.observer.scale != 1.0:
            kept = 1.0  # the scale of the loss is taken out of it again
        if flipped > CHANGED or lost > CHANGED or kept < SHRUNK:
            self.observer.emit(
                AlteredSeen(
                    by=by,
                    name=name,
                    site=site,
                    flipped=flipped,
                    turned=turned,
                    cosine=cosine,
                    lost=lost,
                    uneven=uneven,
                    kept=kept,
                    bounded=bounded,
                    sided=one_sided(before, after),
                )
            )


def _sample(gradient: torch.Tensor) -> torch.Tensor:
    flat = gradient.detach().flatten()
    return flat[:: -(-len(flat) // MOST_ELEMENTS)]


def one_sided(before: torch.Tensor, after: torch.Tensor) -> float:
    """To what share the elements that became zero had one sign, and the others the other; a mask takes of both."""
    lost, left = before[(before != 0) & (after == 0)], before[(before != 0) & (after != 0)]
    if not len(lost) or not len(left):
        return 0.0
    below: list[float] = torch.stack([(lost < 0).double().mean(), (left < 0).double().mean()]).tolist()
    return max(min(below[0], 1 - below[1]), min(1 - below[0], below[1]))


def shortened(before: torch.Tensor, after: torch.Tensor) -> list[float]:
    """How long it is, over how long it was; and the share of its elements that were cut down to one and the same
    size."""
    was, now = before.double().flatten().abs(), after.detach().double().flatten().abs()
    cut = (now == now.max()) & (now < was)
    parts = [now.norm() / was.norm(), cut.double().sum() / (was != 0).double().sum()]
    found: list[float] = torch.stack(parts).tolist()
    return found


def put_back(was: torch.Tensor, now: torch.Tensor) -> torch.Tensor:
    """What was made smaller is as it was; what was turned, masked or made larger stays so, for that is meant."""
    if was.shape != now.shape or now.is_sparse:
        return now
    return torch.where((was * now > 0) & (now.abs() < was.abs()), was, now)


def unshrunk(hook: Callable[..., Any], given: int, arguments: tuple[Any, ...]) -> Any:
    """The hook is called as ever, for it may have more to do, and what it makes smaller is put back."""
    gradient = arguments[given]
    several = gradient if isinstance(gradient, tuple) else (gradient,)
    kept = [one.detach().clone() if isinstance(one, torch.Tensor) else None for one in several]
    result = hook(*arguments)
    made = gradient if result is None else result
    after = made if isinstance(made, tuple) else (made,)
    if len(after) != len(kept):
        return result
    found = tuple(
        now if was is None or not isinstance(now, torch.Tensor) else put_back(was, now)
        for was, now in zip(kept, after, strict=True)
    )
    return found if isinstance(made, tuple) else found[0]


def compared(before: torch.Tensor, after: torch.Tensor) -> list[float]:
    """Shares of the square and of the elements whose sign has turned, the cosine, the share of the elements lost, and
    how uneven the factor is."""
    was, now = before.double().flatten(), after.detach().double().flatten()
    square = was.square().sum()
    pushed = was != 0
    kept = pushed & (now != 0)
    factors = (now[kept] / was[kept]).abs()
    uneven = factors.std() / factors.mean() if len(factors) > 1 else torch.zeros(())
    against = was * now < 0
    parts = [
        was[against].square().sum() / square,
        against.double().sum() / kept.double().sum().clamp_min(1),
        torch.nn.functional.cosine_similarity(was, now, dim=0),
        (pushed & (now == 0)).double().sum() / pushed.double().sum(),
        uneven,
    ]
    found: list[float] = torch.stack([part.double().reshape(()) for part in parts]).tolist()
    return found


def _follow_values(watch: GradientWatch) -> None:
    original = torch.nn.utils.clip_grad_value_

    @functools.wraps(original)
    def clip(*arguments: Any, **keywords: Any) -> None:
        watch.limited = sites.caller()
        original(*arguments, **keywords)

    torch.nn.utils.clip_grad_value_ = clip
    torch.nn.utils.clip_grad.clip_grad_value_ = clip


def install(observer: Observer, optimizers: Optimizers) -> None:
    watch = GradientWatch(observer, optimizers)
    _follow_values(watch)
    of_tensor, of_module = torch.Tensor.register_hook, torch.nn.Module.register_full_backward_hook
    of_sum = torch.Tensor.register_post_accumulate_grad_hook

    @functools.wraps(of_tensor)
    def tensor_hook(self: torch.Tensor, hook: Callable[..., Any]) -> Any:
        traced = torch.compiler.is_compiling()
        return of_tensor(self, hook if traced else watch.watched(hook, 0, "a tensor"))  # type: ignore[no-untyped-call]

    @functools.wraps(of_module)
    def module_hook(self: torch.nn.Module, hook: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        return of_module(self, watch.watched(hook, 1, type(self).__name__), *arguments, **keywords)

    @functools.wraps(of_sum)
    def sum_hook(self: torch.Tensor, hook: Callable[..., Any]) -> Any:
        traced = torch.compiler.is_compiling()
        return of_sum(self, hook if traced else watch.after_sum(hook))  # type: ignore[no-untyped-call]

    torch.Tensor.register_post_accumulate_grad_hook = sum_hook  # type: ignore[method-assign]
    torch.Tensor.register_hook = tensor_hook  # type: ignore[method-assign]
    torch.nn.Module.register_full_backward_hook = module_hook  # type: ignore[method-assign]
    observer.moments.backward_ended.append(observer.shielded("altered", watch.backward_ended))
    observer.moments.step_begins.append(observer.shielded("altered", watch.step_begins))
    observer.moments.step_ended.append(observer.shielded("altered", watch.step_ended))
