"""Numbers over steps that some program logged, under the names it gave them."""

import msgspec


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    """One a step, in the order of the steps; NaN and infinities are values like any other."""


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """What one log holds."""

    origin: str
    """As the user named it: `csv:metrics.csv`."""
    curves: tuple[Curve, ...]
    limits: tuple[str, ...] = ()
    """What of the log was not read, and why."""


class Roles(msgspec.Struct, frozen=True, kw_only=True):
    """Which logged curve is which quantity of training."""

    loss: Curve | None = None
    val_loss: Curve | None = None
    lr: Curve | None = None
    grad_norm: Curve | None = None
    accuracy: Curve | None = None
    val_accuracy: Curve | None = None
    unread: tuple[str, ...] = ()
    """Names that stand for none of these."""
