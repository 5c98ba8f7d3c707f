"""What a model does with the same batch asked otherwise: again, in the other mode, with one bad example."""

import torch

from firstlight.experiments.inside.asking import Asked, answer, output
from firstlight.experiments.inside.axes import Through
from firstlight.records.timelines import Behaviour


def behaviour(asked: Asked, rows: Through | None) -> Behaviour | None:
    """None where the model gives no floating-point output. Leaves the model in eval mode."""
    module = asked.call.module
    module.eval()
    first, again = output(asked), output(asked)
    if first is None or again is None:
        return None
    module.train()
    training = output(asked)
    module.eval()
    return Behaviour(
        step=0,
        site=asked.site,
        again=_difference(first, again),
        train=_difference(first, training),
        poisoned=_poisoned(asked, first, rows) if rows is not None else None,
    )


def _difference(one: torch.Tensor, other: torch.Tensor | None) -> float:
    if other is None or one.shape != other.shape:
        return 0.0
    return float((one - other).norm() / one.norm().clamp_min(1e-12))


def _poisoned(asked: Asked, first: torch.Tensor, rows: Through) -> int | None:
    """What a gradient cannot show, a NaN does: it passes comparisons, sorts and detached statistics too."""
    floats = [t for t in asked.call.inputs if t.is_floating_point() and rows.has(t)]
    if rows.laid is None or not floats or not bool(torch.isfinite(first).all()):
        return None

    def poison(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point() or not rows.has(tensor):
            return tensor
        spoilt = tensor.clone()
        spoilt.select(rows.given[id(tensor)], 0).fill_(torch.nan)
        return spoilt

    made = answer(asked, poison)
    if made is None or made.shape != first.shape:
        return None
    return int(torch.isnan(rows.laid.first(made)).any(1)[1:].sum())
