"""Weights with a gradient and a learning rate do not move.

## What it sees
For many steps, not one sampled element of a parameter changed, although its gradient is not zero and its group has a
nonzero learning rate.

## When it is fine
A group with a learning rate of zero is frozen on purpose. At the very end of a decay, updates vanish everywhere.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorState, TensorTrack


class Limits(Settable):
    looks: int = 6
    """Fewest looks in a row, eight steps apart, at which nothing moved."""
    gradient: float = 1e-5
    """Ratio of gradient to weight that must be exceeded. Smaller gradients are lost to rounding; vanishing gradients
    are another problem."""
    zeros: float = 0.5
    """Share of exact zeros in the gradient below which it is judged; embedding rows that do not occur do not move."""
    lr_share: float = 1e-2
    """Fraction of the highest learning rate below which everything may stand still."""


def find(track: TensorTrack, limits: Limits) -> Found:
    if not track.lr_share >= limits.lr_share:
        return
    stuck = [t for t in track.tensors if t.still >= limits.looks and _is_driven(t, limits)]
    if not stuck:
        return
    rounding = all(tensor.half for tensor in stuck)
    yield Evidence(
        where=Where(module=stuck[0].name, step=track.step, rank=track.rank),
        saw=f"{len(stuck)} of {len(track.tensors)} parameters have not moved for {stuck[0].still} looks, first "
        f"`{stuck[0].name}`, although its gradient has norm {stuck[0].grad_now:.3g}",
        wanted="weights that move when they have a gradient",
        cause="num-precision" if rounding else None,
        likely="updates are smaller than the last digit of 16-bit weights and are rounded away" if rounding else None,
        do="keep the weights in float32 and use autocast" if rounding else None,
        numbers={"parameters": len(stuck), "of": len(track.tensors)},
    )


def _is_driven(tensor: TensorState, limits: Limits) -> bool:
    moves = tensor.lr is None or tensor.lr > 0
    dense = tensor.grad_zeros < limits.zeros
    return moves and dense and tensor.grad_now > 0 and tensor.grad_now > limits.gradient * tensor.weight_now


CHECK = Check(
    id="FL377",
    summary="weights with a gradient and a learning rate do not move",
    causes=("train-frozen", "num-precision", "train-params-missing"),
    likely="the optimizer holds another copy of the parameter, or undoes its own step",
    fix="compare `id()` of the parameter in the model with that in `optimizer.param_groups`",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
