"""Asks a model about the same inputs, moved: what should not change, and what should.

- does an example's output depend on its place in the batch?
- do its layers bend anything, or is it one linear map however many they are?
- does a model that attends to its own sequence know the order of its tokens?
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside import seeding
from firstlight.experiments.inside.asking import LEAST_LENGTH, Asked, output, unchanged
from firstlight.experiments.inside.axes import Through, positions
from firstlight.experiments.inside.steering import Change, changed
from firstlight.observe.inside import reading, sites
from firstlight.records.places import Site
from firstlight.records.symmetry import Order, Straight, Symmetry

WEIGHTED = (torch.nn.Linear, torch.nn.modules.conv._ConvNd)
ATTENDING = ("multi_head_attention_forward", "scaled_dot_product_attention")
SHARES = ("softmax", "_softmax")
MOST_ATTENTION = 16
LEAST_ATTENTION = 3
"""Axes of shares that each place has of every other: a batch, and the two places."""
NEAR, FAR = 1, 2
"""Places whose tokens are exchanged: the first often begins every sequence, and late ones are often padding."""
LEAST = 1e-12
BENT = 1e-2
"""Relative departure from a straight line that no rounding makes."""
NUDGE = 0.3
"""By which weights are moved, relative to their size; and the size of those that are zero."""
T = TypeVar("T")


def symmetry(asked: Asked, rows: Through | None) -> Symmetry | None:
    """None where the model gives no floating-point output. Leaves the model in eval mode."""
    asked.call.module.eval()
    asked, drawing_on = replace(asked, state=seeding.random_state()), asked
    first, again = output(asked), output(drawing_on)
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
    """With the weights it has, and where these make it straight, with others too: blocks may begin as the identity."""
    chain = _chain(asked)
    bend = _bend(asked, first) if chain is not None else None
    if chain is None or bend is None:
        return None
    if bend < BENT:
        with _nudged(asked.call.module):
            nudged = output(asked)
            other = None if nudged is None else _bend(asked, nudged)
        if other is None:
            return None
        bend = max(other, bend)  # in this order: what is no number stays, and is no straight line
    return Straight(bend=bend, **chain)


def _bend(asked: Asked, first: torch.Tensor) -> float | None:
    """Along the line through an input, its half, its opposite and zero: a straight map has the middle in the middle."""
    scaled = [output(asked, _times(factor)) for factor in (0.0, 0.5, -1.0)]
    if any(made is None or made.shape != first.shape for made in scaled):
        return None
    zero, half, opposite = (made for made in scaled if made is not None)
    moved = first - zero
    bend = max(_apart((first + zero) / 2, half, moved), _apart((first + opposite) / 2, zero, moved))
    return bend if bool(moved.any()) else None


@contextlib.contextmanager
def _nudged(module: torch.nn.Module) -> Iterator[None]:
    """Every weight that is trained is moved a little for as long, those that are zero too."""
    weights = [one for one in module.parameters() if one.requires_grad and one.is_floating_point()]
    kept = [one.detach().clone() for one in weights]
    draw = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight, was in zip(weights, kept, strict=True):
            size = max(float(was.float().square().mean().sqrt()), NUDGE)
            weight.add_(NUDGE * size * torch.randn(was.shape, generator=draw).to(was))
    try:
        yield
    finally:
        with torch.no_grad():
            for weight, was in zip(weights, kept, strict=True):
                weight.copy_(was)


def _times(factor: float) -> Change:
    return lambda tensor: factor * tensor if tensor.is_floating_point() else tensor


def _chain(asked: Asked) -> dict[str, Any] | None:
    """The first layer with weights that is given what another one made, and what lies between the two.

    What the second is given must be felt in the output: behind a last layer or a gate that begins at zero, whatever
    bends there is not seen.
    """
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
            made = list(reading.tensors_in(asked.call.module(*asked.call.arguments, **asked.call.keywords)))
    finally:
        for handle in handles:
            handle.remove()
    for index, (second, given) in enumerate(called):
        for first, _ in called[:index]:
            if first is not second and _made_with(given, first) and _is_felt(given, made):
                widths = {"width": _widths(first)[1], "least": min(_widths(first)[0], _widths(second)[1])}
                return {"first": names[first], "second": names[second], **widths}
    return None


def _made_with(tensor: torch.Tensor, layer: torch.nn.Module) -> bool:
    weight: Any = layer.weight
    if not tensor.requires_grad or not weight.requires_grad:
        return False
    return torch.autograd.grad(tensor.sum(), weight, allow_unused=True, retain_graph=True)[0] is not None


def _is_felt(given: torch.Tensor, made: list[torch.Tensor]) -> bool:
    """In the first output, by squares: those that add up to a constant do not hide it."""
    numbers = [tensor for tensor in made if tensor.is_floating_point() and tensor.requires_grad]
    first = next((tensor for tensor in numbers if tensor.ndim), numbers[0] if numbers else None)
    if first is None:
        return False
    found: Any = torch.autograd.grad(first.double().square().sum(), given, allow_unused=True, retain_graph=True)[0]
    return found is not None and bool(found.any())


def _widths(layer: Any) -> tuple[int, int]:
    if isinstance(layer, torch.nn.Linear):
        return layer.in_features, layer.out_features
    return layer.in_channels, layer.out_channels


def _order(asked: Asked, first: torch.Tensor, rows: Through | None) -> Order | None:
    """Of each input of ids, which may be one of several; told of the one whose order matters least."""
    ids = [t for t in asked.call.inputs if not t.is_floating_point() and t.dtype != torch.bool and t.ndim == 2]
    found = [one for tokens in ids if rows is not None and (one := _order_of(asked, first, tokens, rows)) is not None]
    return min(found, key=lambda one: one.swapped / max(one.replaced, LEAST), default=None)


def _order_of(asked: Asked, first: torch.Tensor, tokens: torch.Tensor, rows: Through) -> Order | None:
    """Exchanged at two positions that are the same in every example.

    Where the output has a place for each token, the later ones are asked: what they see is the same two tokens, whether
    a model looks back alone or both ways.
    """
    along = positions(asked, first, tokens, rows)
    if along is None or along.length < LEAST_LENGTH:
        return None
    axis = along.given[id(tokens)]
    columns = tokens.select(axis, NEAR), tokens.select(axis, FAR)
    other = _with(tokens, axis, {FAR: columns[0]})
    if torch.equal(*columns) or not _is_attended(asked, along.length, other):
        return None

    def later(made: torch.Tensor | None) -> torch.Tensor | None:
        return made if made is None or along.laid is None else along.laid.first(made)[FAR + 1 :]

    swapped = output(asked, _with(tokens, axis, {NEAR: columns[1], FAR: columns[0]}))
    replaced = output(asked, other)
    kept = later(first)
    assert kept is not None
    layer, site = _embedded(asked, tokens)
    return Order(
        layer=layer, site=site, swapped=_apart(kept, later(swapped), kept), replaced=_apart(kept, later(replaced), kept)
    )


class _AttentionCalls(TorchFunctionMode):
    """What the places of a sequence pay to one another, by torch's own functions or by hand."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.length = length
        self.made: list[torch.Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        shares = name in SHARES and found.ndim >= LEAST_ATTENTION and found.shape[-2:] == (self.length, self.length)
        if (name in ATTENDING or shares) and len(self.made) < MOST_ATTENTION:
            self.made.append(next(reading.tensors_in(found)).detach())
        return found


def _is_attended(asked: Asked, length: int, change: Change) -> bool:
    """Another token changes what attention gives: else it is another input that is attended to."""
    heard = []
    for changing in (unchanged, change):
        call, attention = asked.call, _AttentionCalls(length)
        with torch.enable_grad(), attention:  # without gradients torch's layers take a way that is not heard
            call.module(*changed(call.arguments, changing), **changed(call.keywords, changing))
        heard.append(attention.made)
    return any(not torch.equal(one, other) for one, other in zip(*heard, strict=True))


def _embedded(asked: Asked, tokens: torch.Tensor) -> tuple[str, Site | None]:
    """The table that the tokens are looked up in, and the line that does so."""
    found: list[tuple[str, Site | None]] = []

    def note(name: str, given: Any) -> None:
        if any(one is tokens or torch.equal(one, tokens) for one in reading.tensors_in(given)):
            found.append((name, sites.caller()))

    tables = [(n, m) for n, m in asked.call.module.named_modules() if isinstance(m, torch.nn.Embedding)]
    handles = [m.register_forward_pre_hook(lambda _, given, n=n: note(n, given)) for n, m in tables]
    try:
        output(asked)
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else ("", None)


def _with(tokens: torch.Tensor, axis: int, columns: dict[int, torch.Tensor]) -> Change:
    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor is not tokens:
            return tensor
        found = tensor.clone()
        for column, values in columns.items():
            found.select(axis, column).copy_(values)
        return found

    return change
