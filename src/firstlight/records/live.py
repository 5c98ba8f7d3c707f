"""Facts of a live run: windows over the steps of one optimizer, as far as it has come.

Each is complete in itself; `step` is the last step it knows. The guard makes them, nobody else.
"""

import msgspec


class _Live(msgspec.Struct, frozen=True, kw_only=True):
    rank: int = 0
    optimizer: int = 0
    step: int = 0


class Turned(_Live, frozen=True, kw_only=True):
    """The first NaN or infinity of a run that was finite before."""

    kind: str
    """`loss`, `gradient` or `weight`; where several turned at one step, the one nearest to the cause."""
    name: str | None
    """The parameter, where the loss was still finite: the one nearest to the loss."""
    bad: int
    """Tensors with a NaN or an infinity at that step, of the same kind."""
    tensors: int
    lr: float | None
    earlier: tuple[float, ...]
    """The last losses before it."""
    norms: tuple[float, ...]
    """The last gradient norms before it."""
    scaled: bool
    """A loss scaler is at work."""
    module: str | None = None
    """The first module whose output was not finite, where one was found."""
