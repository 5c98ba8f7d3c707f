"""The first bad number."""

import math
from collections import deque
from dataclasses import dataclass

from firstlight.records.live import Turned
from firstlight.records.telemetry import StepRow

REMEMBERED = 20


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a bad loss came from, as far as its graph shows."""

    module: str | None
    words: str
    masked: bool = False
    """It is a mean over no targets at all: every one is the ignored index."""
    fed: int = 0
    """Values of the batch, or of a target, that are not finite."""
    holding: str = ""
    """Where in the batch they are, in words."""
    half: bool = False
    """Numbers left the range of half precision."""


@dataclass(frozen=True, slots=True)
class Bad:
    """What goes with a bad number."""

    names: tuple[str, ...] = ()
    """Parameters whose gradient, or else whose weight, is not finite, in the model's order."""
    tensors: int = 0
    """Parameters in all."""
    origin: Origin | None = None


class Turning:
    """`turned` is made once; everything after it follows from it."""

    def __init__(self) -> None:
        self._losses: deque[float] = deque(maxlen=REMEMBERED)
        self._norms: deque[float] = deque(maxlen=REMEMBERED)
        self._told = False

    def sees(self, row: StepRow, rank: int, bad: Bad) -> Turned | None:
        kind = _kind(row)
        if kind is None:
            self._remember(row)
            self._told = False if row.loss is not None else self._told
            return None
        if self._told:
            return None
        self._told = True
        origin = bad.origin if bad.origin is not None and kind == "loss" else Origin(None, "")
        return Turned(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            kind=kind,
            name=bad.names[-1] if bad.names and kind != "loss" and len(bad.names) < bad.tensors else None,
            bad=1 if kind == "loss" else len(bad.names),
            tensors=bad.tensors,
            lr=row.lr,
            earlier=tuple(self._losses),
            norms=tuple(self._norms),
            module=origin.module,
            origin=origin.words,
            masked=origin.masked,
            fed=origin.fed,
            holding=origin.holding,
            half=origin.half,
        )

    def _remember(self, row: StepRow) -> None:
        if row.loss is not None:
            self._losses.append(row.loss)
        if row.grad_norm is not None:
            self._norms.append(row.grad_norm)


def _kind(row: StepRow) -> str | None:
    """A scaler tries large scales on purpose: what overflows under it, gradients or the scaled loss, is no illness."""
    overflows = row.amp_scale is not None and row.loss is not None and math.isinf(row.loss)
    if row.loss is not None and not math.isfinite(row.loss) and not overflows:
        return "loss"
    if row.bad_gradients and not (row.skipped or row.amp_scale is not None):
        return "gradient"
    return "weight" if row.bad_weights else None
