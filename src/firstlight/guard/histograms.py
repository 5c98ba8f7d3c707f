"""How large the elements of gradients and weights are, counted in 64 bins on sampled steps: shown, not judged.

An even sample of some tensors, the first, the last and some between; on a device nothing is waited for.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.guard.adam import sent
from firstlight.guard.statistics.host import in_memory_order
from firstlight.guard.statistics.rows import stride_of
from firstlight.guard.statistics.subjects import local
from firstlight.guard.watch import Watch

POWERS = (-10, 6)
"""Powers of ten between which magnitudes are counted, four bins to a power; smaller and larger ones are in no bin."""
BINS = 64
EDGES = [float(f"{10.0 ** (POWERS[0] + place / 4):.4g}") for place in range(BINS + 1)]
SAMPLE = 1024
MOST_TENSORS = 8
MOST_FLYING = 2


@dataclass(frozen=True, slots=True)
class Counted:
    step: int
    name: str
    kind: str
    counts: list[int]


class Histograms:
    """Of all optimizers."""

    def __init__(self) -> None:
        self._edges: dict[torch.device, torch.Tensor] = {}
        self._flying: deque[tuple[int, list[tuple[str, str]], torch.Tensor, Any]] = deque(maxlen=MOST_FLYING)

    def step_begins(self, watch: Watch) -> None:
        subjects = watch.subjects
        pairs = list(zip(subjects.names, subjects.parameters, strict=True))
        weights = [(name, local(p)) for name, p in pairs if p.numel()]
        scaled = getattr(watch.optimizer, "grad_scale", None) is not None  # the gradients still hold the loss scale
        gradients = [(name, local(p.grad)) for name, p in pairs if p.grad is not None and p.numel() and not scaled]
        chosen = [("gradients", *each) for each in spread(gradients)] + [("weights", *each) for each in spread(weights)]
        if chosen:
            edges = self._edges_on(subjects.device)
            below = torch.stack([below_each(tensor, edges) for _, _, tensor in chosen])
            self._flying.append((watch.step, [(kind, name) for kind, name, _ in chosen], *sent(below)))

    def _edges_on(self, device: torch.device) -> torch.Tensor:
        """Made there: numbers sent from here would have to be waited for."""
        if device not in self._edges:
            self._edges[device] = torch.logspace(*POWERS, BINS + 1, device=device)
        return self._edges[device]

    def arrived(self) -> list[Counted]:
        """Never waits."""
        found = []
        while self._flying and (self._flying[0][3] is None or self._flying[0][3].query()):
            step, about, below, _ = self._flying.popleft()
            counts = below.diff(dim=1).tolist()
            found += [Counted(step, name, kind, each) for (kind, name), each in zip(about, counts, strict=True)]
        return found


def below_each(tensor: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
    """How many magnitudes lie below each edge: sorting needs neither a transfer nor an atomic addition."""
    values = in_memory_order(tensor)[:: stride_of(tensor.numel(), SAMPLE)][:SAMPLE]
    return torch.searchsorted(values.abs().float().nan_to_num(0.0).sort().values, edges)


def spread(named: list[tuple[str, torch.Tensor]]) -> list[tuple[str, torch.Tensor]]:
    if len(named) <= MOST_TENSORS:
        return named
    return [named[round(place * (len(named) - 1) / (MOST_TENSORS - 1))] for place in range(MOST_TENSORS)]
