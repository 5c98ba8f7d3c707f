"""A row of eight numbers a tensor, the same from every device."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import torch

from firstlight.records.telemetry import TensorRow

MEAN, STD, L2, LOW, HIGH, NONFINITE, ZEROS, UPDATE = range(8)
WIDTH = 8
LOSS, SCALE, CLIP_NORM = range(3)
"""Places of the numbers that travel with the rows."""
SCALARS = 3
SAMPLE = 1024
"""Elements of each weight whose change is followed on a device, spread evenly over it."""
SLOTS = 6
"""Looks under way at the same time; the launch queue of a device is rarely deeper."""


@dataclass(frozen=True, slots=True)
class Scalars:
    """Numbers that may still be on the device; they travel with the rows."""

    loss: torch.Tensor | None = None
    scale: torch.Tensor | None = None
    clip_norm: torch.Tensor | None = None

    def __iter__(self) -> Iterator[torch.Tensor | None]:
        return iter((self.loss, self.scale, self.clip_norm))


@dataclass(frozen=True, slots=True)
class Tensors:
    """What a step has: dense, local memory. A parameter that got no gradient has None."""

    gradients: Sequence[torch.Tensor | None]
    weights: Sequence[torch.Tensor]


@dataclass(frozen=True, slots=True)
class Frame:
    """What one look at all tensors gave, on the host: gradients first, then weights, in the order of the names."""

    step: int
    rows: torch.Tensor
    present: tuple[bool, ...]
    """Whether each parameter had a gradient."""
    scalars: tuple[float | None, ...] = field(default=(None,) * SCALARS)

    @property
    def gradients(self) -> torch.Tensor:
        return self.rows[: len(self.present)]

    @property
    def weights(self) -> torch.Tensor:
        return self.rows[len(self.present) :]


class Pass(Protocol):
    found_bad: torch.Tensor | None
    """1 on the parameters' device where the last look met a gradient that is not finite, else 0; None if not known."""

    def launch(self, step: int, tensors: "Tensors", scalars: Scalars) -> None:
        """Begins to read everything; on a device this returns before anything was read."""

    def poll(self) -> Frame | None:
        """The oldest finished look, or None. Never waits."""


@runtime_checkable
class Clipping(Pass, Protocol):
    def clip(self, step: int, tensors: "Tensors", scalars: Scalars, max_norm: float) -> torch.Tensor | None:
        """A look that also shortens the gradients, all together, to `max_norm`; the norm they had, not waited for.

        None, and nothing done, where torch must do it. The rows are those from before."""


def stride_of(numel: int, sample: int = SAMPLE) -> int:
    """So many elements lie between two of the sample; an odd number, or a sample would keep to a few columns."""
    wide = max(1, numel // sample)
    return wide - 1 + wide % 2


def named_rows(names: list[str], rows: torch.Tensor, present: tuple[bool, ...] | None = None) -> list[TensorRow]:
    """As records, leaving out tensors that are not there."""
    return [
        TensorRow(
            name=name,
            mean=row[MEAN],
            std=row[STD],
            l2=row[L2],
            low=row[LOW],
            high=row[HIGH],
            nonfinite=int(row[NONFINITE]) if row[NONFINITE] == row[NONFINITE] else 0,
            zeros=row[ZEROS],
            update=row[UPDATE] if present is None else None,
        )
        for index, (name, row) in enumerate(zip(names, rows.tolist(), strict=True))
        if present is None or present[index]
    ]
