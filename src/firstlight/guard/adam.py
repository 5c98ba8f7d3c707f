"""What optimizers of Adam's kind remember, read every few steps just before they move: how far the gradients outrun it.

A sample of the elements of each weight matrix; on a device nothing is waited for.
"""

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.facts.live.moments import Memory
from firstlight.guard.statistics.host import in_memory_order
from firstlight.guard.statistics.rows import stride_of
from firstlight.guard.statistics.subjects import local
from firstlight.guard.watch import Watch

EVERY = {"cpu": 8, "cuda": 32}
"""Steps from look to look, by device: on a device a look is some launches."""
SAMPLE = 256
"""Elements of each weight; smaller weights are not read."""
MOST_TENSORS = 64
MOST_FLYING = 4
GOOD_PART = 0.1
"""Of the divisor, from which on epsilon counts."""
Pair = tuple[torch.Tensor, torch.Tensor]
"""A gradient, and what is remembered of its squares."""


@dataclass(frozen=True, slots=True)
class _Flying:
    names: list[str]
    rows: torch.Tensor
    event: Any
    beta: float
    epsilon: float


class AdamMemory:
    """Of one optimizer."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._every = EVERY.get(watch.subjects.device.type, 0)
        self._flying: deque[_Flying] = deque(maxlen=MOST_FLYING)

    def step_begins(self) -> None:
        if not self._every or self._watch.step % self._every != self._every - 1:
            return
        if getattr(self._watch.optimizer, "grad_scale", None) is None:  # else the gradients still hold the loss scale
            self._look()

    def _look(self) -> None:
        optimizer, named = self._watch.optimizer, self._watch.subjects.by_identity()
        names: list[str] = []
        rows: list[torch.Tensor] = []
        adam = [group for group in optimizer.param_groups if is_adam(group)]
        for group in adam:
            held = {id(p): pair for p in group["params"] if (pair := pair_of(p, optimizer.state.get(p, {})))}
            chosen = list(held.items())[: MOST_TENSORS - len(names)]
            if chosen:
                age = next(optimizer.state[p].get("step", 0) for p in group["params"] if id(p) in held)
                names += [named.get(key, "") for key, _ in chosen]
                rows.append(paces([pair for _, pair in chosen], age, group["betas"][1], group["eps"]))
        if rows:
            beta, epsilon = min(group["betas"][1] for group in adam), max(group["eps"] for group in adam)
            self._flying.append(_Flying(names, *sent(torch.cat(rows)), beta, epsilon))

    def arrived(self) -> list[Memory]:
        """Never waits."""
        found = []
        while self._flying and (self._flying[0].event is None or self._flying[0].event.query()):
            flying = self._flying.popleft()
            found.append(Memory(flying.names, flying.rows.tolist(), flying.beta, flying.epsilon))
        return found


def is_adam(group: dict[str, Any]) -> bool:
    """Has numbers of its kind, known on the host."""
    betas = group.get("betas", ())
    return len(betas) > 1 and isinstance(betas[1], float) and isinstance(group.get("eps"), float)


def pair_of(parameter: torch.Tensor, state: dict[str, Any]) -> Pair | None:
    """None for what is not a weight matrix with a dense gradient and a second moment of its shape."""
    memory, gradient = state.get("max_exp_avg_sq", state.get("exp_avg_sq")), parameter.grad
    if memory is None or gradient is None or gradient.is_sparse or parameter.ndim < 2:
        return None
    gradient, memory = local(gradient), local(memory)
    return (gradient, memory) if gradient.shape == memory.shape and memory.numel() >= SAMPLE else None


def paces(pairs: list[Pair], age: Any, beta: float, epsilon: float) -> torch.Tensor:
    """Of each: root mean square of the gradient over its divisor, share that epsilon drowns, share of zeros.

    The divisor is the one this very step will use. `age` may be on a device, and stays there.
    """
    gradient, memory = (torch.stack(several).float() for several in zip(*map(_sampled, pairs), strict=True))
    squares = gradient.square()
    second = (beta * memory + (1 - beta) * squares) / (1 - _faded(beta, age))
    pace = (squares / second.clamp_min(epsilon * epsilon)).mean(dim=1).sqrt()
    known = memory > 0
    faint = known & (second.sqrt() * GOOD_PART < epsilon)
    drowned = faint.sum(dim=1) / known.sum(dim=1).clamp_min(1)
    return torch.stack([pace, drowned, (squares == 0).float().mean(dim=1)], dim=1)


def _faded(beta: float, age: Any) -> Any:
    """What is left by now of the zeros a memory began with."""
    if isinstance(age, torch.Tensor) and age.device.type != "cpu":
        return torch.exp((age + 1) * math.log(max(beta, 1e-30)))
    return beta ** (float(age) + 1)


def _sampled(pair: Pair) -> Pair:
    gradient, memory = pair
    order = in_memory_order if gradient.stride() == memory.stride() else torch.Tensor.flatten
    stride = stride_of(memory.numel(), SAMPLE)
    return order(gradient)[::stride][:SAMPLE], order(memory)[::stride][:SAMPLE]


def sent(rows: torch.Tensor) -> tuple[torch.Tensor, Any]:
    """On its way to the host, with what tells that it has come; None where it is there."""
    if rows.device.type == "cpu":
        return rows, None
    here = torch.empty(rows.shape, dtype=rows.dtype, pin_memory=True).copy_(rows, non_blocking=True)
    event = torch.cuda.Event()
    event.record()
    return here, event
