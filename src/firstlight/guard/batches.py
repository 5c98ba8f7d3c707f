"""What a step was fed: how many examples, how long it was waited for, and whether it came before."""

import hashlib
import math
import struct
from collections.abc import Iterator
from typing import Any

import torch

from firstlight.facts.live.feeding import MOST_CLASSES
from firstlight.guard.capture.trees import Packer
from firstlight.guard.statistics.host import in_memory_order
from firstlight.guard.statistics.rows import stride_of
from firstlight.observe.inside.reading import tensors_in

MOST_TENSORS = 4
WHOLE = (torch.int64, torch.int32, torch.int16, torch.uint8)
SAMPLE = 32
"""Elements of a tensor that make its fingerprint; two different batches practically never agree in all of them."""

SIZED = 256
"""Elements that tell how large a batch's numbers are."""


class Batches:
    """Since the last step."""

    def __init__(self) -> None:
        self.wait_s = 0.0
        self.samples = 0
        self.prints: list[str] = []
        self.last: Any = None
        """The last batch a loader gave, as it was."""

    def came(self, batch: Any, seconds: float) -> None:
        self.wait_s += seconds
        self.last = batch
        found = list(tensors_in(batch))[:MOST_TENSORS]
        self.samples += samples_in(found)
        if (seen := fingerprint(found)) is not None:
            self.prints.append(seen)

    def bad_values(self) -> tuple[int, str]:
        """Of the last batch, on the host: how many values are not finite, and where the first of them is."""
        total, told = 0, ""
        for name, tensor in named_tensors(self.last):
            if not tensor.is_floating_point() or tensor.device.type != "cpu" or tensor.layout is not torch.strided:
                continue
            bad = ~torch.isfinite(tensor)
            if count := int(bad.sum()):
                total, row = total + count, int(bad.nonzero()[0][0]) if tensor.ndim else 0
                told = told or f"`{name}` in row {row} of {len(tensor) if tensor.ndim else 1}"
        return total, told

    def labels(self) -> dict[int, int]:
        """How often each class is among the targets of the last batch; the only whole numbers, one for each example."""
        whole = [
            tensor
            for tensor in list(tensors_in(self.last))[:MOST_TENSORS]
            if tensor.ndim == 1 and tensor.dtype in WHOLE and tensor.device.type == "cpu" and tensor.numel() > 1
        ]
        if len(whole) != 1:
            return {}
        low, high = torch.aminmax(whole[0])
        if low < 0 or high >= MOST_CLASSES:
            return {}
        return {each: count for each, count in enumerate(torch.bincount(whole[0]).tolist()) if count}

    def size(self) -> float | None:
        """Root mean square of a sample of the last batch's first tensor of real numbers, on the host."""
        for tensor in list(tensors_in(self.last))[:MOST_TENSORS]:
            if tensor.is_floating_point() and tensor.device.type == "cpu" and tensor.numel() >= SAMPLE:
                values = in_memory_order(tensor.detach())[:: stride_of(tensor.numel(), SIZED)][:SIZED]
                return math.sqrt(values.double().square().mean().item())
        return None

    def take(self) -> tuple[float | None, int | None, str | None]:
        """Seconds waited, examples and fingerprint of what came since the last step; None where nothing did."""
        if not self.samples:
            return None, None, None
        taken = (self.wait_s, self.samples, "|".join(self.prints) or None)
        self.wait_s, self.samples, self.prints = 0.0, 0, []
        return taken


def named_tensors(batch: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """By the way to them: `1` of a pair, `x` of a mapping."""
    packer = Packer()
    packer.pack(batch)
    yield from packer.tensors.items()


def samples_in(tensors: list[torch.Tensor]) -> int:
    return next((tensor.shape[0] for tensor in tensors if tensor.ndim), 0)


def fingerprint(tensors: list[torch.Tensor]) -> str | None:
    """Of host tensors only: reading one off a device would wait for it."""
    digest = hashlib.blake2b(digest_size=8)
    told = False
    for tensor in tensors:
        if tensor.device.type != "cpu" or tensor.layout is not torch.strided or not tensor.numel():
            continue
        values = tensor.detach().reshape(-1)[:: max(1, tensor.numel() // SAMPLE)][:SAMPLE]
        numbers = (values.real if values.is_complex() else values).double().tolist()
        digest.update(struct.pack(f"{len(numbers)}d", *numbers))
        told = True
    return digest.hexdigest() if told else None
