"""How curved the loss is where a copy stands: the largest eigenvalue of its Hessian, by power iteration.

The Hessian is measured as the optimizer sees it. One that divides every element of its step by a running size makes
steep directions flat, so what it divides by is divided out here too. A step longer than the limit that follows from it
makes the steepest direction overshoot by more each time (Cohen et al. 2021; for adaptive methods, 2022).
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import torch

from firstlight.experiments.inside.rate_steering import nominal
from firstlight.observe.inside import graph
from firstlight.observe.inside.observer import Observer
from firstlight.records.steered import CurvatureSeen

ITERATIONS = 30
SETTLED = 0.005
"""Relative change of the eigenvalue at which the iteration is over."""
LEAST_ITERATIONS = 4
SEED = 5
KNOWN = ("SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad")
SIZES = {"max_exp_avg_sq": 0.5, "exp_avg_sq": 0.5, "exp_inf": 1.0, "square_avg": 0.5, "sum": 0.5}
"""State by which torch's optimizers divide a step, and the power to which it is raised before."""
Vector = list[torch.Tensor]


def measure(observer: Observer, value: str) -> None:
    """`STEP`: at the first backward of that step; the copy ends there."""
    step = int(value)

    def look(root: torch.Tensor, _retain: bool, functional: bool) -> None:
        if observer.step < step or root.numel() != 1:
            return
        held = [] if functional else [one.ref() for one in observer.optimizers() if one.steps]
        whole = max(1, round(observer.backwards / max(1, observer.step))) / observer.scale
        with observer.quiet(), torch.enable_grad():
            seen = curvature_of(root, held, whole)
        observer.emit(msgspec.structs.replace(seen))
        observer.stop("measured")

    observer.moments.backward_begins.append(look)


def curvature_of(root: torch.Tensor, held: Sequence[torch.optim.Optimizer | None], whole: float) -> CurvatureSeen:
    """Of the loss `root`, for the one optimizer that is held.

    `whole` is the gradient of a step in terms of this one: backwards are summed up, and may be scaled.
    """
    optimizer = held[0] if len(held) == 1 else None
    if optimizer is None:
        several = "several optimizers step at once" if held else "no torch optimizer steps by `backward`"
        return CurvatureSeen(step=0, reason=several)
    if type(optimizer).__name__ not in KNOWN:
        return CurvatureSeen(step=0, reason=f"how `{type(optimizer).__name__}` scales its steps is not known here")
    try:
        top = whole * _largest_of(root, optimizer)
    except (RuntimeError, NotImplementedError) as error:
        return CurvatureSeen(step=0, reason=f"a second backward is not possible: {str(error).splitlines()[0][:200]}")
    return CurvatureSeen(step=0, top=top, stable=_factor(optimizer.param_groups[0]) / top if top > 0 else None)


def _largest_of(root: torch.Tensor, optimizer: torch.optim.Optimizer) -> float:
    weights = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    slopes: Sequence[torch.Tensor | None] = torch.autograd.grad(
        root, weights, create_graph=True, retain_graph=True, allow_unused=True
    )
    scales = _scales(optimizer)
    curved = [
        (slope, weight, scales[id(weight)])
        for slope, weight in zip(slopes, weights, strict=True)
        if slope is not None and slope.requires_grad
    ]
    for node in (node for slope, _, _ in curved for node in graph.nodes_behind(slope)):
        if "error" in node.name().lower():  # torch would leave it out without a word
            raise RuntimeError("a function behind the loss can be differentiated only once")
    return _largest(*(list(column) for column in zip(*curved, strict=True))) if curved else 0.0


def _largest(slopes: Vector, weights: Vector, scales: Vector) -> float:
    """The largest eigenvalue, not the largest absolute one: where that is negative, it is shifted out of the way."""

    def times(vector: Vector) -> Vector:
        found: Sequence[torch.Tensor | None] = torch.autograd.grad(
            slopes,
            weights,
            [scale * one for scale, one in zip(scales, vector, strict=True)],
            retain_graph=True,
            allow_unused=True,
        )
        pairs = zip(found, scales, strict=True)
        return [torch.zeros_like(scale) if one is None else scale * one.detach() for one, scale in pairs]

    top = _power(times, weights)
    if top >= 0:
        return top

    def shifted(vector: Vector) -> Vector:
        return [one - top * before for one, before in zip(times(vector), vector, strict=True)]

    return _power(shifted, weights) + top


def _power(times: Callable[[Vector], Vector], like: Vector) -> float:
    generator = torch.Generator().manual_seed(SEED)
    vector = [torch.randn(one.shape, generator=generator, device="cpu").to(one) for one in like]
    found = 0.0
    for count in range(ITERATIONS):
        length = _dot(vector, vector) ** 0.5
        if not length > 0:
            return 0.0
        vector = [one / length for one in vector]
        turned = times(vector)
        before, found = found, _dot(vector, turned)
        if count >= LEAST_ITERATIONS and abs(found - before) <= SETTLED * abs(found):
            break
        vector = turned
    return found


def _dot(one: Vector, other: Vector) -> float:
    return float(sum((a.double() * b.double()).sum() for a, b in zip(one, other, strict=True)))


def _scales(optimizer: torch.optim.Optimizer) -> dict[int, torch.Tensor]:
    """The square root of what each element of the gradient is multiplied by for a rate of one in the first group."""
    first = next((rate for group in optimizer.param_groups if (rate := nominal(group))), 1.0)
    found = {}
    for group in optimizer.param_groups:
        ratio = (nominal(group) or first) / first
        for p in group["params"]:
            found[id(p)] = (ratio / _size(optimizer.state.get(p, {}), group, p)).sqrt().detach()
    return found


def _size(state: dict[str, Any], group: dict[str, Any], like: torch.Tensor) -> torch.Tensor:
    """What a step is divided by, element by element; one where the optimizer divides by nothing."""
    for key, power in SIZES.items():
        if isinstance(state.get(key), torch.Tensor):
            steps = float(state.get("step", 1))
            beta = group["betas"][1] if key.endswith("exp_avg_sq") and "betas" in group else 0.0
            size: torch.Tensor = (state[key].detach() / (1 - beta**steps)) ** power + group.get("eps", 0.0)
            return size.clamp_min(torch.finfo(size.dtype).tiny)
    return torch.ones_like(like)


def _factor(group: dict[str, Any]) -> float:
    """Rate times curvature at which a quadratic begins to oscillate without end, by the kind of momentum."""
    if "betas" in group:
        beta = float(group["betas"][0])
        return 2 * (1 + beta) / (1 - beta)
    momentum = float(group.get("momentum", 0.0))
    return 2 * (1 + momentum) / (1 + 2 * momentum if group.get("nesterov") else 1)
