"""Asks a model about the same inputs, moved: what should not change, and what should.

- does an example's output depend on its place in the batch?
- do its layers bend anything, or is it one linear map however many they are?
- does a model that attends to its own sequence know the order of its tokens?
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch

from firstlight.experiments.inside.asking import LEAST_LENGTH, Asked, output
from firstlight.experiments.inside.axes import Through, positions
from firstlight.experiments.inside.steering import Change
from firstlight.observe.inside import reading
from firstlight.records.symmetry import Order, Straight, Symmetry

WEIGHTED = (torch.nn.Linear, torch.nn.modules.conv._ConvNd)
ATTENDING = (torch.nn.MultiheadAttention, torch.nn.TransformerEncoderLayer)
LEAST = 1e-12
T = TypeVar("T")


def symmetry(asked: Asked, rows: Through | None) -> Symmetry | None:
    """None where the model gives no floating-point output. Leaves the model in eval mode."""
    asked.call.module.eval()
    first, again = output(asked), output(asked)
    if first is None or again is None:
        return None
    return Symmetry(
        step=0,
        site=asked.site,
        again=_apart(first, again, first),
        placed=_answer(_placed, asked, first, rows),
        straight=_answer(_straight, asked, first, rows),
        order=_answer(_order, asked, first, rows),
    )


def _answer(
    question: Callable[[Asked, torch.Tensor, Through | None], T | None],
    asked: Asked,
    first: torch.Tensor,
    rows: Through | None,
) -> T | None:
    """None where the model does not take the changed inputs: sorted lengths, say, that are no longer sorted."""
    try:
        return question(asked, first, rows)
    except Exception:  # noqa: BLE001  # whatever it raises, the question could not be put
        return None


def _apart(one: torch.Tensor, other: torch.Tensor | None, scale: torch.Tensor) -> float:
    if other is None or one.shape != other.shape:
        return 0.0
    return float((one - other).norm() / scale.norm().clamp_min(LEAST))


def _placed(asked: Asked, first: torch.Tensor, rows: Through | None) -> float | None:
    """Only where everything given has a row for each example: what has none would stay where it is."""
    given = [t for t in asked.call.inputs if t.numel() > 1]
    if rows is None or rows.laid is None or not given or not all(rows.has(t) for t in given):
        return None
    moved = output(asked, lambda t: t.roll(1, rows.given[id(t)]) if rows.has(t) else t)
    if moved is None or moved.shape != first.shape:
        return None
    return _apart(rows.laid.first(first).roll(1, 0), rows.laid.first(moved), first)


def _straight(asked: Asked, first: torch.Tensor, _rows: Through | None) -> Straight | None:
    """Along the line through an input, its half, its opposite and zero: a straight map has the middle in the middle."""
    chain = _chain(asked)
    if chain is None:
        return None
    scaled = [output(asked, _times(factor)) for factor in (0.0, 0.5, -1.0)]
    if any(made is None or made.shape != first.shape for made in scaled):
        return None
    zero, half, opposite = (made for made in scaled if made is not None)
    moved = first - zero
    bend = max(_apart((first + zero) / 2, half, moved), _apart((first + opposite) / 2, zero, moved))
    return Straight(bend=bend, **chain) if bool(moved.any()) else None


def _times(factor: float) -> Change:
    return lambda tensor: factor * tensor if tensor.is_floating_point() else tensor


def _chain(asked: Asked) -> dict[str, Any] | None:
    """The first layer with weights that is given what another one made, and what lies between the two."""
    if not any(t.is_floating_point() for t in asked.call.inputs):
        return None
    names: dict[torch.nn.Module, str] = {
        module: name for name, module in asked.call.module.named_modules() if isinstance(module, WEIGHTED)
    }
    called: list[tuple[torch.nn.Module, torch.Tensor]] = []

    def note(module: torch.nn.Module, given: Any) -> None:
        if (tensor := next(reading.tensors_in(given), None)) is not None:
            called.append((module, tensor))

    handles = [module.register_forward_pre_hook(note) for module in names]
    try:
        with torch.enable_grad():
            asked.call.module(*asked.call.arguments, **asked.call.keywords)
    finally:
        for handle in handles:
            handle.remove()
    for index, (second, given) in enumerate(called):
        for first, _ in called[:index]:
            if first is not second and _made_with(given, first):
                widths = {"width": _widths(first)[1], "least": min(_widths(first)[0], _widths(second)[1])}
                return {"first": names[first], "second": names[second], **widths}
    return None


def _made_with(tensor: torch.Tensor, layer: torch.nn.Module) -> bool:
    weight: Any = layer.weight
    if not tensor.requires_grad or not weight.requires_grad:
        return False
    return torch.autograd.grad(tensor.sum(), weight, allow_unused=True, retain_graph=True)[0] is not None


def _widths(layer: Any) -> tuple[int, int]:
    if isinstance(layer, torch.nn.Linear):
        return layer.in_features, layer.out_features
    return layer.in_channels, layer.out_channels


def _order(asked: Asked, first: torch.Tensor, rows: Through | None) -> Order | None:
    """For ids alone, exchanged at two positions that are the same in every example."""
    layers = [(name, m) for name, m in asked.call.module.named_modules() if isinstance(m, ATTENDING)]
    ids = [t for t in asked.call.inputs if not t.is_floating_point() and t.dtype != torch.bool and t.ndim == 2]
    if not layers or len(ids) != 1 or rows is None:
        return None
    (tokens,) = ids
    along = positions(asked, first, tokens, rows)
    if along is None or along.length < LEAST_LENGTH:
        return None
    axis, near, far = along.given[id(tokens)], 1, 2
    columns = tokens.select(axis, near), tokens.select(axis, far)
    if torch.equal(*columns):
        return None
    swapped = output(asked, _with(tokens, axis, {near: columns[1], far: columns[0]}))
    replaced = output(asked, _with(tokens, axis, {far: columns[0]}))
    wanted = first.clone()
    if along.laid is not None:
        by_place = along.laid.first(wanted)
        exchanged = by_place.clone()
        exchanged[[near, far]] = by_place[[far, near]]
        wanted, swapped = exchanged, None if swapped is None else along.laid.first(swapped)
    return Order(
        layer=layers[0][0] or type(layers[0][1]).__name__,
        swapped=_apart(wanted, swapped, first),
        replaced=_apart(first, replaced, first),
    )


def _with(tokens: torch.Tensor, axis: int, columns: dict[int, torch.Tensor]) -> Change:
    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor is not tokens:
            return tensor
        found = tensor.clone()
        for column, values in columns.items():
            found.select(axis, column).copy_(values)
        return found

    return change
