"""How far each parameter moves in a step, looked at on a few steps only: it takes a copy of the weights."""

from collections.abc import Container
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps import between
from firstlight.observe.inside.taps.models import Models
from firstlight.observe.inside.taps.optimizers import Held, Optimizers
from firstlight.records.inner import Moved, Movement
from firstlight.records.steered import GroupRate

LOOKS = (1, 9, 29, 99, 299)
"""Steps, counted from 0, at which an optimizer is watched."""
MOST_TENSORS = 80
MOST_ELEMENTS = 1 << 25
"""Of the tensors looked at together: larger ones are left out, so that the copy stays small."""
MOST_GROUPS = 12
MOST_MATRICES = 8
MOST_SIDE = 1024
"""Rows and columns of a matrix of which the longest stretch is computed."""
STRETCH = 1.3
"""Times the longest stretch that is expected of a matrix of independent random numbers; small ones vary by so much."""
Before = list[tuple[torch.Tensor, torch.Tensor]]


class Watch:
    def __init__(self, observer: Observer, models: Models, optimizers: Optimizers) -> None:
        self.observer, self.models, self.optimizers = observer, models, optimizers
        self._before: dict[int, Before] = {}
        self._backwards = 0
        """Made before the step that is looked at."""
        self._loaded: set[int] = set()
        """Parameters into which a state was loaded."""

    def state_loaded(self, module: torch.nn.Module) -> None:
        self._loaded.update(map(id, module.parameters()))

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = self.optimizers.of(optimizer)
        if held.steps in LOOKS:
            self._before[id(optimizer)] = [(p, reading.values_of(p).clone()) for p in _some_of(held)]
            self._backwards = self.observer.backwards

    def step_ended(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        before = self._before.pop(id(optimizer), None)
        held = self.optimizers.of(optimizer)
        searched = held.closure and self.observer.backwards - self._backwards != 1
        if not before or searched:  # a line search has no single gradient
            return
        names = {id(p): name for root in self.models.live() for name, p in root.parameters}
        self.observer.emit(
            Movement(
                step=held.steps,
                rank=rank(),
                optimizer=held.index,
                name=held.name,
                built=held.site,
                settings=_settings(optimizer.param_groups[0]),
                tensors=tuple(
                    _moved(names.get(id(p), "a parameter"), p, was, self.observer.maximizes())
                    for p, was in before
                    if p.grad is not None
                ),
                groups=_groups(optimizer.param_groups, self._loaded),
            )
        )


def _some_of(held: Held) -> list[torch.Tensor]:
    """With a gradient, or one that a closure is about to compute, as under Lightning."""
    known = [
        p
        for p in held.parameters
        if (not p.grad.is_sparse if p.grad is not None else held.closure and p.requires_grad)
        and reading.readable(p)
        and p.numel()
    ]
    kept, elements = [], 0
    for parameter in known[:: 1 + len(known) // MOST_TENSORS]:
        elements += parameter.numel()
        if elements > MOST_ELEMENTS:
            break
        kept.append(parameter)
    return kept


def _moved(name: str, parameter: torch.Tensor, was: torch.Tensor, maximized: bool) -> Moved:
    now, gradient = parameter.detach(), parameter.grad
    assert gradient is not None
    step = now.float() - was.float()
    pushed = gradient != 0
    parts = [gradient.float().square().mean(), was.float().square().mean(), step.square().mean()]
    still = (pushed & (now == was)).float().sum() / pushed.float().sum().clamp_min(1)
    along = torch.nn.functional.cosine_similarity(step.flatten(), gradient.float().flatten(), dim=0)
    found = torch.stack([*parts, still, along]).tolist()
    return Moved(
        name=name,
        shape=tuple(parameter.shape),
        dtype=str(parameter.dtype).removeprefix("torch."),
        gradient=found[0] ** 0.5,
        weight=found[1] ** 0.5,
        update=found[2] ** 0.5,
        still=found[3],
        along=-found[4] if maximized else found[4],
        alike=parameter.ndim > 1 and len(parameter) > 1 and bool((now == now[:1]).all()),
    )


def _groups(groups: list[dict[str, Any]], loaded: Container[int] = ()) -> tuple[GroupRate, ...]:
    """None of an optimizer that has but one, or very many. What was `loaded` was trained before, however little."""
    if not 1 < len(groups) <= MOST_GROUPS:
        return ()
    return tuple(
        GroupRate(
            rate=float(group["lr"]),
            tensors=len(group["params"]),
            elements=sum(p.numel() for p in group["params"]),
            drawn=not any(id(p) in loaded for p in group["params"]) and _is_drawn(group["params"]),
        )
        for group in groups
        if isinstance(group.get("lr"), float | int | torch.Tensor)
    )


def _is_drawn(parameters: list[torch.Tensor]) -> bool:
    """What training leaves in a matrix is of low rank, and stretches some direction far more than chance does.

    Independent numbers of one spread stretch none by more than the roots of its sides together (Bai and Yin).
    """
    known = [p.detach() for p in parameters if p.ndim > 1 and min(p.shape[0], p[0].numel()) > 1 and reading.readable(p)]
    matrices = [one.reshape(len(one), -1)[:MOST_SIDE, :MOST_SIDE].float() for one in known[:MOST_MATRICES]]
    return bool(matrices) and all(_stretch(one) <= STRETCH for one in matrices)


def _stretch(matrix: torch.Tensor) -> float:
    """Of the longest one, over what is expected of chance; NaN where all numbers are the same."""
    expected = matrix.std() * (matrix.shape[0] ** 0.5 + matrix.shape[1] ** 0.5)
    return float(torch.linalg.matrix_norm(matrix, 2) / expected)


def _settings(group: dict[str, Any]) -> dict[str, float]:
    named = {key: group.get(key) for key in ("lr", "momentum", "eps", "weight_decay")}
    betas = group.get("betas")
    if isinstance(betas, tuple | list) and len(betas) > 1:
        named |= {"beta1": betas[0], "beta2": betas[1]}
    return {key: float(value) for key, value in named.items() if isinstance(value, float | int | torch.Tensor)}


def install(observer: Observer, models: Models, optimizers: Optimizers) -> None:
    watch = Watch(observer, models, optimizers)
    observer.moments.step_begins.append(observer.shielded("movement", watch.step_begins))
    observer.moments.step_ended.append(observer.shielded("movement", watch.step_ended))
    observer.moments.state_loaded.append(observer.shielded("movement", watch.state_loaded))
    between.install(observer, models, optimizers)
