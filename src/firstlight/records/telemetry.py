"""What the guard measures at one optimizer step, and what it says when something is wrong."""

import msgspec

from firstlight.records.finding import Finding, Scalar


class TensorRow(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor at one step. All but the counts are over its finite elements; NaN where a device could not tell."""

    name: str
    l2: float
    mean: float
    std: float
    low: float
    high: float
    nonfinite: int
    zeros: float
    """Share of elements that are exactly zero."""
    update: float | None = None
    """Of a weight: the length of the last update over its own, from a sample of its elements."""

    @property
    def absmax(self) -> float:
        return max(-self.low, self.high)


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step of one optimizer, in numbers."""

    step: int
    """In the count of the run, from 0: an optimizer that takes over from another goes on with its count."""
    optimizer: int = 0
    loss: float | None = None
    components: dict[str, float] = {}
    lr: float | None = None
    """The largest of the parameter groups'."""
    grad_norm: float | None = None
    """Of all gradients together, before clipping, the loss scale divided out."""
    clip_norm: float | None = None
    """What the program's clipping took for it."""
    clip_at: float | None = None
    param_norm: float | None = None
    update: float | None = None
    """Length of the last update over that of the weights."""
    amp_scale: float | None = None
    skipped: bool = False
    """The loss scaler left this step out."""
    bad_gradients: int = 0
    """Tensors whose gradient holds a NaN or an infinity."""
    bad_weights: int = 0
    piled: bool = False
    """The gradients were added onto those of the step before, which nobody had cleared."""
    step_s: float | None = None
    data_wait_s: float | None = None
    samples: int | None = None
    batch: str | None = None
    """Equal for batches of equal content."""
    guard_s: float = 0.0
    """What this step cost the host on the guard's side."""

    @property
    def samples_per_s(self) -> float | None:
        return self.samples / self.step_s if self.samples and self.step_s else None

    @property
    def clip_coef(self) -> float | None:
        if self.clip_norm is None or self.clip_at is None or not self.clip_norm > 0:
            return None
        return min(1.0, self.clip_at / self.clip_norm)


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """A red flag, at the moment it was raised."""

    finding: Finding
    step: int
    """Of the optimizer, where it went wrong; it is judged a step or more later."""
    optimizer: int = 0
    parameter: str | None = None
    """The first tensor concerned, by its name in the model."""
    module: str | None = None
    rank: int = 0
    numbers: dict[str, Scalar] = {}
    since: Finding | None = None
    """The flag that this one came after while the run had not recovered from it: both are one incident."""
