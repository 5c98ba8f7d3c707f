"""The pass on a CUDA device: two launches a step, whatever the number of tensors, the rows written to pinned memory.

Nothing waits for the device. Gradients are freed and made anew, mostly at the same few places: the tables of their
addresses stay on the device, and one is sent only when they lie as never before. Rows are read once the event behind
them has passed, usually one step later.
"""

import math
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.guard.statistics import clipping, kernels
from firstlight.guard.statistics.host import is_dense, row_of_any
from firstlight.guard.statistics.rows import (
    CLIP_NORM,
    SAMPLE,
    SCALARS,
    SLOTS,
    UPDATE,
    WIDTH,
    Frame,
    Scalars,
    Tensors,
    stride_of,
)
from firstlight.guard.statistics.tables import Chunks, sent

BLOCK = 512
"""Elements of four bytes that a program loads at once: 16 bytes a thread of four warps."""
CHUNK = 32768
REDUCING = 128
WARPS = 4
LAYOUTS = 8
"""Ways in which tensors lie in memory that are remembered."""
CODES = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the tensors are; gradients first."""

    addresses: torch.Tensor
    """On the device; 0 for what is absent, empty, or must be read another way."""
    odd: list[int]
    """Places of those that must."""
    present: tuple[bool, ...]
    """Whether each gradient is there."""


class DevicePass:
    def __init__(self, weights: Sequence[torch.Tensor], skips: bool = False) -> None:
        """`skips`: `found_bad` is set on the device at each look, for fused optimizers to leave the step out."""
        self.device = weights[0].device
        self._kinds = [(w.dtype, w.numel(), w.stride() if is_dense(w) else None) for w in weights]
        self.missed = 0
        """Looks that were overwritten before anybody read them."""
        on_gpu = self.device.type != "cpu"  # the CPU is for Triton's interpreter, in tests
        tensors = [*weights, *weights]
        types = [t.dtype if t.dtype in CODES else None for t in tensors]
        self._chunks = Chunks([t.numel() for t in tensors], types, CHUNK, self.device)
        self._codes = sent([CODES.get(t.dtype, 0) for t in tensors], torch.int32, self.device)
        self._pivots = torch.zeros(len(tensors), device=self.device)
        self._samples = torch.stack([_sampled(weight) for weight in weights])
        self._lengths = torch.zeros(len(weights), dtype=torch.float64, device=self.device)
        """Of each gradient, squared; known only where gradients are clipped."""
        self._bad = torch.zeros((), device=self.device)
        self.found_bad: torch.Tensor | None = self._bad if skips else None
        rows = len(tensors) + 1
        self._host = [torch.zeros(rows, WIDTH, pin_memory=on_gpu) for _ in range(SLOTS)]
        """Pinned: the last kernel writes straight into it, and there is no copy to launch."""
        self._events = [torch.cuda.Event() for _ in range(SLOTS)] if on_gpu else []
        self._flying: deque[tuple[int, int, tuple[bool, ...], list[Any], list[int]]] = deque()
        self._looks = 0
        self._layouts: OrderedDict[tuple[int, ...], Layout] = OrderedDict()

    def clip(self, step: int, tensors: Tensors, scalars: Scalars, max_norm: float) -> torch.Tensor | None:
        if self._is_captured or self._layout([*tensors.gradients, *tensors.weights]).odd:
            return None
        total = torch.empty((), device=self.device)
        self.launch(step, tensors, scalars, (max_norm, total))
        return total

    @property
    def _is_captured(self) -> bool:
        return bool(self._events) and torch.cuda.is_current_stream_capturing()

    def launch(
        self, step: int, tensors: Tensors, scalars: Scalars, clips: tuple[float, torch.Tensor] | None = None
    ) -> None:
        """`clips`: the norm gradients are shortened to, and where the one they had is put."""
        if self._is_captured:
            return
        slot = self._looks % SLOTS
        if len(self._flying) == SLOTS:
            self._flying.popleft()
            self.missed += 1
        every = [*tensors.gradients, *tensors.weights]
        layout = self._layout(every)
        known, there = self._split(scalars)
        self._run(self._host[slot], layout.addresses, there, clips is not None)
        if clips is not None:
            known[CLIP_NORM] = None
            self._shorten(self._host[slot], layout.addresses, *clips)
        for place in layout.odd:
            row = row_of_any(every[place])  # type: ignore[arg-type]  # odd ones are there
            self._host[slot][place, :UPDATE].copy_(row[:UPDATE], non_blocking=True)
        if self._events:
            self._events[slot].record()
        self._flying.append((slot, step, layout.present, known, layout.odd))
        self._looks += 1

    def poll(self) -> Frame | None:
        if not self._flying or (self._events and not self._events[self._flying[0][0]].query()):
            return None
        slot, step, present, known, odd = self._flying.popleft()
        found = self._host[slot].clone()
        tail = found[-1].tolist()
        scalars = tuple(tail[i] if known[i] is None else known[i] for i in range(SCALARS))
        rows = found[:-1]
        if step == 0 or self._looks == 1:
            rows[len(present) :, UPDATE] = math.nan
        rows[odd, UPDATE] = math.nan  # what is not read here has no sample
        return Frame(step, rows, present, tuple(None if s is _MISSING else s for s in scalars))

    def _layout(self, tensors: list[torch.Tensor | None]) -> Layout:
        """Looked at closely only when they lie as they have not lain lately."""
        places = tuple(0 if tensor is None else tensor.data_ptr() for tensor in tensors)
        found = self._layouts.get(places)
        if found is None:
            odd = [p for p, tensor in enumerate(tensors) if tensor is not None and not self._is_plain(p, tensor)]
            addresses = [0 if place in odd else address for place, address in enumerate(places)]
            odd = [place for place in odd if tensors[place].numel()]  # type: ignore[union-attr]  # odd ones are there
            present = tuple(tensor is not None for tensor in tensors[: len(self._kinds)])
            found = self._layouts[places] = Layout(sent(addresses, torch.int64, self.device), odd, present)
            if len(self._layouts) > LAYOUTS:
                self._layouts.popitem(last=False)
        return found

    def _is_plain(self, place: int, tensor: torch.Tensor) -> bool:
        dtype, numel, stride = self._kinds[place % len(self._kinds)]
        if tensor.dtype is not dtype or dtype not in CODES or tensor.numel() != numel:
            return False
        return tensor.is_contiguous() or tensor.stride() == stride or is_dense(tensor)

    def _split(self, scalars: Scalars) -> tuple[list[Any], list[torch.Tensor | None]]:
        """What the host knows already, and what is read on the device with the rows."""
        known: list[Any] = []
        there: list[torch.Tensor | None] = []
        for scalar in scalars:
            on_device = scalar is not None and scalar.device == self.device and scalar.device.type != "cpu"
            there.append(scalar if on_device else None)
            known.append(None if on_device else _MISSING if scalar is None else _read(scalar))
        return known, there

    def _run(self, out: torch.Tensor, addresses: torch.Tensor, scalars: list[torch.Tensor | None], clips: bool) -> None:
        table, nothing = self._chunks, self._pivots
        read_chunks(table, addresses, self._pivots, self.found_bad)
        loss, scale, clip_norm = (nothing if each is None else each for each in scalars)
        kernels.tensor_pass[(2 * len(self._kinds),)](
            table.partials,
            table.first,
            table.last,
            addresses,
            table.numels,
            self._codes,
            self._pivots,
            self._samples,
            self._lengths,
            out,
            self._bad,
            loss,
            scale,
            clip_norm,
            len(self._kinds),
            HAS_LOSS=scalars[0] is not None,
            HAS_SCALE=scalars[1] is not None,
            HAS_CLIP=scalars[2] is not None,
            MARKS=self.found_bad is not None,
            CLIPS=clips,
            WIDTH=WIDTH,
            SAMPLE=SAMPLE,
            BLOCK=REDUCING,
            num_warps=WARPS,
        )

    def _shorten(self, out: torch.Tensor, addresses: torch.Tensor, max_norm: float, total: torch.Tensor) -> None:
        """The chunks of gradients are the first half of each type's."""
        table = self._chunks
        for dtype, first, count in table.groups:
            clipping.clip_pass[(count // 2,)](
                addresses,
                table.numels,
                self._lengths,
                table.tensor,
                table.offset,
                total,
                out[-1],
                max_norm,
                len(self._kinds),
                first,
                DTYPE=kernels.TYPES[dtype],
                BYTES=dtype.itemsize,
                CHUNK=CHUNK * 4 // dtype.itemsize,
                BLOCK=BLOCK * 4 // dtype.itemsize,
                num_warps=WARPS,
            )


def read_chunks(table: Chunks, addresses: torch.Tensor, pivots: torch.Tensor, clears: torch.Tensor | None) -> None:
    """Every element once, a launch for each type."""
    for number, (dtype, first, count) in enumerate(table.groups):
        kernels.chunk_pass[(count,)](
            addresses,
            table.numels,
            pivots,
            table.tensor,
            table.offset,
            table.partials,
            pivots if clears is None else clears,
            first,
            DTYPE=kernels.TYPES[dtype],
            BYTES=dtype.itemsize,
            CHUNK=CHUNK * 4 // dtype.itemsize,
            BLOCK=BLOCK * 4 // dtype.itemsize,
            WIDTH=kernels.PARTIALS,
            CLEARS=clears is not None and number == 0,
            num_warps=WARPS,
        )


def rows_of(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Rows of tensors that are seen once, such as activations; on their device, not waited for."""
    plain = [t if t.dtype in CODES and (t.is_contiguous() or is_dense(t)) else t.float().contiguous() for t in tensors]
    device, count = plain[0].device, len(plain)
    table = Chunks([t.numel() for t in plain], [t.dtype for t in plain], CHUNK, device)
    addresses = sent([t.data_ptr() for t in plain], torch.int64, device)
    nothing = torch.zeros(count, device=device)
    out = torch.zeros(count + 1, WIDTH, device=device)
    read_chunks(table, addresses, nothing, None)
    kernels.tensor_pass[(count,)](
        table.partials,
        table.first,
        table.last,
        addresses,
        table.numels,
        table.first,
        nothing,
        nothing,
        nothing,
        out,
        nothing,
        nothing,
        nothing,
        nothing,
        count,
        HAS_LOSS=False,
        HAS_SCALE=False,
        HAS_CLIP=False,
        MARKS=False,
        CLIPS=False,
        WIDTH=WIDTH,
        SAMPLE=SAMPLE,
        BLOCK=REDUCING,
        num_warps=WARPS,
    )
    return out[:count]


class _Missing:
    """A number this step does not have; NaN would be a number."""


_MISSING = _Missing()


def _read(scalar: torch.Tensor) -> float | _Missing:
    """Off the host only: another device would have to be waited for."""
    return float(scalar) if scalar.device.type == "cpu" else _MISSING


def _sampled(weight: torch.Tensor) -> torch.Tensor:
    found = torch.zeros(SAMPLE, device=weight.device)
    values = weight.detach().as_strided((weight.numel(),), (1,)) if is_dense(weight) else weight.detach().reshape(-1)
    some = values[:: stride_of(weight.numel())][:SAMPLE]
    found[: some.numel()] = some.float()
    return found
