"""What the modules put out, on sampled steps: hooks are there for one forward pass and gone after it.

On a device the outputs are held until the backward begins (or until they are much), then read in one pass, not waited
for. Hooks put on after `torch.compile` do not run: a compiled model is then not looked at, and no graph breaks.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from firstlight.facts.live.looks import Output
from firstlight.guard.statistics.host import flat, row_of
from firstlight.guard.statistics.rows import HIGH, L2, LOW, WIDTH

DYING = (nn.ReLU, nn.ReLU6, nn.Threshold, nn.Hardswish, nn.Hardtanh)
"""Functions whose units can fall silent for good."""
FLAT_ENDS: dict[type[nn.Module], tuple[float, float]] = {
    nn.Tanh: (-0.97, 0.97),
    nn.Sigmoid: (0.03, 0.97),
    nn.Hardsigmoid: (0.0, 1.0),
    nn.Softsign: (-0.97, 0.97),
}
MOST_HELD_BYTES = 1 << 30
MOST_MODULES = 400


class Activations:
    def __init__(self, models: Mapping[str, nn.Module]) -> None:
        self._models = models
        self._handles: list[Any] = []
        self._held: list[tuple[str, nn.Module, torch.Tensor]] = []
        self._bytes = 0
        self._flying: list[Flying] = []
        self._seen: set[str] = set()
        self._inputs: dict[str, float] = {}

    @property
    def armed(self) -> bool:
        return bool(self._handles)

    def arm(self) -> None:
        """The next forward pass is looked at."""
        self._seen.clear()
        prefix = len(self._models) > 1
        for model_name, model in self._models.items():
            for name, module in list(model.named_modules())[:MOST_MODULES]:
                if not any(True for _ in module.children()):
                    shown = f"{model_name}.{name}" if prefix and name else name or model_name
                    self._handles.append(module.register_forward_hook(self._hook(shown)))

    def _hook(self, name: str) -> Any:
        def hook(module: nn.Module, _arguments: Any, output: Any) -> None:
            if torch.compiler.is_compiling() or not torch.is_grad_enabled() or name in self._seen:
                return
            if isinstance(output, torch.Tensor) and output.is_floating_point() and output.numel():
                self._seen.add(name)
                self._held.append((name, module, output.detach()))
                self._bytes += output.nbytes
                if output.device.type == "cpu" or self._bytes > MOST_HELD_BYTES:
                    self.flush()

        return hook

    def flush(self) -> None:
        """Reads what is held, before the backward frees or overwrites it."""
        if self._held:
            with torch.no_grad():
                self._flying.append(Flying(self._held))
            self._held, self._bytes = [], 0

    def disarm(self) -> None:
        self.flush()
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def arrived(self) -> list[Output]:
        """All outputs of the last sampled step once they are here; empty before. Never waits."""
        if self.armed or not self._flying or not all(flying.is_here for flying in self._flying):
            return []
        flying, self._flying = self._flying, []
        return [output for each in flying for output in each.outputs()]


class Flying:
    """Outputs on their way to the host."""

    def __init__(self, held: list[tuple[str, nn.Module, torch.Tensor]]) -> None:
        self._about = [(name, type(module).__name__, t.numel(), t.element_size() == 2) for name, module, t in held]
        device = held[0][2].device
        self._event = torch.cuda.Event() if device.type == "cuda" else None
        shares = [(dead_share(module, output), end_share(module, output)) for _, module, output in held]
        if self._event is None:
            rows = torch.tensor([row_of(flat(output)) for _, _, output in held]).view(-1, WIDTH)
            self._rows, self._shares = rows, torch.tensor([[float(a), float(b)] for a, b in shares])
            return
        from firstlight.guard.statistics.device import rows_of

        none = torch.zeros((), device=device)  # made there: a number sent from here would have to be waited for
        flat_pairs = [value if isinstance(value, torch.Tensor) else none for pair in shares for value in pair]
        pairs = torch.stack(flat_pairs).view(-1, 2)
        found = rows_of([output for _, _, output in held])
        self._rows = torch.empty(found.shape, pin_memory=True).copy_(found, non_blocking=True)
        self._shares = torch.empty(pairs.shape, pin_memory=True).copy_(pairs, non_blocking=True)
        self._event.record()

    @property
    def is_here(self) -> bool:
        return self._event is None or self._event.query()

    def outputs(self) -> list[Output]:
        return [
            Output(
                name=name,
                kind=kind,
                rms=row[L2] / count**0.5,
                absmax=max(-row[LOW], row[HIGH]),
                dead=dead,
                saturated=saturated,
                half=half,
            )
            for (name, kind, count, half), row, (dead, saturated) in zip(
                self._about, self._rows.tolist(), self._shares.tolist(), strict=True
            )
        ]


def dead_share(module: nn.Module, output: torch.Tensor) -> float | torch.Tensor:
    """Share of units that are zero for every example."""
    if not isinstance(module, DYING) or output.ndim < 2:
        return 0.0
    units = 1 if output.ndim > 3 else output.ndim - 1
    others = [dim for dim in range(output.ndim) if dim != units]
    return 1.0 - output.abs().amax(dim=others).ne(0).float().mean()


def end_share(module: nn.Module, output: torch.Tensor) -> float | torch.Tensor:
    """Share of outputs at the flat ends of the function."""
    ends = FLAT_ENDS.get(type(module))
    if ends is None:
        return 0.0
    return 1.0 - ((output > ends[0]) & (output < ends[1])).float().mean()
