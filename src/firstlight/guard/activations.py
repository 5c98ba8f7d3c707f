"""What the modules put out, on sampled steps: hooks are there for one forward pass and gone after it.

On the host an output is read at once, and of a large one an even sample of its elements; only the units of a ReLU are
all read, since one that speaks rarely is not dead. On a device the outputs are held until the backward begins (or until
they are much), then read whole in one pass, not waited for. Hooks put on after `torch.compile` do not run: a compiled
model is then not looked at, and no graph breaks.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from firstlight.facts.live.looks import Output
from firstlight.guard.naming import plain
from firstlight.guard.statistics.host import flat, in_memory_order, row_of
from firstlight.guard.statistics.rows import HIGH, L2, LOW, MEAN, STD, stride_of

DYING = (nn.ReLU, nn.ReLU6, nn.Threshold, nn.Hardswish, nn.Hardtanh)
"""Functions whose units can fall silent for good."""
FLAT_ENDS: dict[type[nn.Module], tuple[float, float]] = {
    nn.Tanh: (-0.97, 0.97),
    nn.Sigmoid: (0.03, 0.97),
    nn.Hardsigmoid: (0.0, 1.0),
    nn.Softsign: (-0.97, 0.97),
}
NEVER_NEGATIVE = (nn.ReLU, nn.ReLU6)
MOST_HELD_BYTES = 1 << 30
MOST_MODULES = 400
SAMPLE = 1 << 14
"""Elements of an output that are read on the host: they tell its root mean square to one per cent."""


class Activations:
    def __init__(self, models: Mapping[str, nn.Module]) -> None:
        self._models = models
        self._handles: list[Any] = []
        self._held: list[tuple[str, nn.Module, torch.Tensor]] = []
        self._bytes = 0
        self._flying: list[Flying] = []
        self._read: list[Output] = []
        self._seen: set[str] = set()

    @property
    def armed(self) -> bool:
        return bool(self._handles)

    def arm(self) -> None:
        """The next forward pass is looked at."""
        self._seen.clear()
        prefix = len(self._models) > 1
        for model_name, model in self._models.items():
            for path, module in list(model.named_modules())[:MOST_MODULES]:
                if not any(True for _ in module.children()):
                    name = plain(path)
                    shown = f"{model_name}.{name}" if prefix and name else name or model_name
                    self._handles.append(module.register_forward_hook(self._hook(shown)))

    def _hook(self, name: str) -> Any:
        def hook(module: nn.Module, _arguments: Any, output: Any) -> None:
            if torch.compiler.is_compiling() or not torch.is_grad_enabled() or name in self._seen:
                return
            if isinstance(output, torch.Tensor) and output.is_floating_point() and output.numel():
                self._seen.add(name)
                self._came(name, module, output.detach())

        return hook

    def _came(self, name: str, module: nn.Module, output: torch.Tensor) -> None:
        if output.device.type == "cpu":
            with torch.no_grad():
                self._read.append(read_here(name, module, output))
            return
        self._held.append((name, module, output))
        self._bytes += output.nbytes
        if self._bytes > MOST_HELD_BYTES:
            self.flush()

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
        if self.armed or not all(flying.is_here for flying in self._flying):
            return []
        read, self._read = self._read, []
        flying, self._flying = self._flying, []
        return read + [output for each in flying for output in each.outputs()]


class Flying:
    """Outputs on their way from a device to the host."""

    def __init__(self, held: list[tuple[str, nn.Module, torch.Tensor]]) -> None:
        from firstlight.guard.statistics.device import rows_of

        self._about = [(name, module, output.numel(), output.element_size() == 2) for name, module, output in held]
        shares = [(place, share_of(module, output)) for place, (_, module, output) in enumerate(held)]
        known = [(place, share) for place, share in shares if share is not None]
        self._places = [place for place, _ in known]
        told = torch.stack([share for _, share in known]) if known else torch.zeros(0, device=held[0][2].device)
        found = rows_of([output for _, _, output in held])
        self._rows = torch.empty(found.shape, pin_memory=True).copy_(found, non_blocking=True)
        self._shares = torch.empty(told.shape, pin_memory=True).copy_(told, non_blocking=True)
        self._event = torch.cuda.Event()
        self._event.record()

    @property
    def is_here(self) -> bool:
        return bool(self._event.query())

    def outputs(self) -> list[Output]:
        shares = dict(zip(self._places, self._shares.tolist(), strict=True))
        rows = zip(self._about, self._rows.tolist(), strict=True)
        return [told(about, row, shares.get(place, 0.0)) for place, (about, row) in enumerate(rows)]


def read_here(name: str, module: nn.Module, output: torch.Tensor) -> Output:
    values = flat(in_memory_order(output)[:: stride_of(output.numel(), SAMPLE)].contiguous())
    share = share_of(module, values if type(module) in FLAT_ENDS else output)
    about = (name, module, values.numel(), output.element_size() == 2)
    return told(about, row_of(values, zeros=0.0), 0.0 if share is None else share.item())


def told(about: tuple[str, nn.Module, int, bool], row: list[float], share: float) -> Output:
    """`about`: name, module, elements that were read, whether they have 16 bits. `share`: dead, or at a flat end."""
    name, module, count, half = about
    flattens = type(module) in FLAT_ENDS
    return Output(
        name=name,
        kind=type(module).__name__,
        mean=row[MEAN],
        std=row[STD],
        rms=row[L2] / count**0.5,
        absmax=max(-row[LOW], row[HIGH]),
        dead=0.0 if flattens else share,
        saturated=share if flattens else 0.0,
        half=half,
    )


def share_of(module: nn.Module, output: torch.Tensor) -> torch.Tensor | None:
    """Of units that are dead, or of outputs at a flat end: no function has both."""
    return end_share(module, output) if type(module) in FLAT_ENDS else dead_share(module, output)


def dead_share(module: nn.Module, output: torch.Tensor) -> torch.Tensor | None:
    """Share of units that are zero for every example."""
    if not isinstance(module, DYING) or output.ndim < 2:
        return None
    silent = _over_units(torch.amax, output) == 0
    if not isinstance(module, NEVER_NEGATIVE):
        silent &= _over_units(torch.amin, output) == 0
    return silent.float().mean()


def _over_units(reduce: Any, output: torch.Tensor) -> torch.Tensor:
    """Images have their units in the second dimension, all else in the last. Examples first: that is the fast way."""
    if output.ndim > 3:
        return reduce(reduce(output, dim=0).flatten(1), dim=1)  # type: ignore[no-any-return]
    return reduce(output.flatten(0, -2), dim=0)  # type: ignore[no-any-return]


def end_share(module: nn.Module, output: torch.Tensor) -> torch.Tensor:
    """Share of outputs at the flat ends of the function."""
    low, high = FLAT_ENDS[type(module)]
    return 1.0 - ((output > low) & (output < high)).float().mean()
