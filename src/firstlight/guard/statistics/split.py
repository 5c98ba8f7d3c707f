"""Parameters on several devices: a pass for each, put together again in the order of the names."""

from collections import deque
from collections.abc import Callable, Sequence

import torch

from firstlight.guard.statistics.rows import SCALARS, WIDTH, Frame, Pass, Scalars, Tensors


class SplitPass:
    def __init__(self, weights: Sequence[torch.Tensor], make: Callable[[list[torch.Tensor]], Pass]) -> None:
        self._count = len(weights)
        self.found_bad: torch.Tensor | None = None
        self._places: dict[torch.device, list[int]] = {}
        for place, weight in enumerate(weights):
            self._places.setdefault(weight.device, []).append(place)
        self._passes = {device: make([weights[p] for p in places]) for device, places in self._places.items()}
        self._arrived: dict[torch.device, deque[Frame]] = {device: deque() for device in self._places}

    def launch(self, step: int, tensors: Tensors, scalars: Scalars) -> None:
        for device, places in self._places.items():
            part = Tensors([tensors.gradients[p] for p in places], [tensors.weights[p] for p in places])
            own = Scalars(*(each if each is not None and each.device == device else None for each in scalars))
            self._passes[device].launch(step, part, own)

    def poll(self) -> Frame | None:
        for device, one in self._passes.items():
            while (frame := one.poll()) is not None:
                self._arrived[device].append(frame)
        if not all(self._arrived.values()):
            return None
        newest = max(frames[0].step for frames in self._arrived.values())
        for frames in self._arrived.values():
            while frames and frames[0].step < newest:
                frames.popleft()
        if not all(self._arrived.values()):
            return None
        return self._joined({device: frames.popleft() for device, frames in self._arrived.items()})

    def _joined(self, frames: dict[torch.device, Frame]) -> Frame:
        rows = torch.zeros(2 * self._count, WIDTH)
        present = [False] * self._count
        scalars: list[float | None] = [None] * SCALARS
        for device, frame in frames.items():
            places = self._places[device]
            rows[places] = frame.gradients
            rows[[self._count + place for place in places]] = frame.weights
            for place, there in zip(places, frame.present, strict=True):
                present[place] = there
            scalars = [old if new is None else new for old, new in zip(scalars, frame.scalars, strict=True)]
        step = next(iter(frames.values())).step
        return Frame(step, rows, tuple(present), tuple(scalars))
