"""What a model's output depends on, by its gradient, in eval mode.

- does an example's output depend on another example's input?
- does the output at a position depend on later positions, when the task is to predict the next one?
- does an example's output rest on its padding?
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from firstlight.experiments.inside.mixing import CallsInOrder
from firstlight.experiments.inside.steering import Change, changed
from firstlight.observe.inside import reading
from firstlight.records.places import Site
from firstlight.records.timelines import Dependence

if TYPE_CHECKING:
    from firstlight.observe.inside.taps.models import Call

LEAST_ROWS = 3
LEAST_LENGTH = 4
NEXT_TOKEN = 0.95
"""Share of targets equal to the next input for the task to count as predicting it."""
LEAST_PADDED, MOST_PADDED = 0.2, 0.95
"""Share of a row that is padding, for the row to be asked."""
MAINLY = 0.5
"""Share of the gradient that lies on the padding, from which on the output rests on it."""


@dataclass(frozen=True)
class Asked:
    """A call of a model, with what the loss wanted of it."""

    call: "Call"
    site: Site | None
    target: torch.Tensor | None
    rows: int
    """Examples in the batch; 0 where that is not known."""


@dataclass(frozen=True)
class Leaf:
    """An input, or what an embedding made of ids."""

    tensor: torch.Tensor
    ids: torch.Tensor | None = None
    padding: int | None = None


def output(asked: Asked, change: Change = lambda tensor: tensor) -> torch.Tensor | None:
    """What the model makes of its inputs, changed."""
    call = asked.call
    with torch.no_grad():
        made = call.module(*changed(call.arguments, change), **changed(call.keywords, change))
    return next((t.float() for t in reading.tensors_in(made) if t.is_floating_point() and t.numel()), None)


def dependences(asked: Asked) -> Iterator[Dependence]:
    asked.call.module.eval()
    operations = CallsInOrder()
    with torch.enable_grad(), operations:
        output, leaves = _run(asked.call)
    if output is None or not leaves:
        return
    given = [leaf.tensor for leaf in leaves]
    rows = asked.rows or _rows_of_ids(asked.call.inputs, output, given)
    if rows >= LEAST_ROWS and len(output) == rows and not (output.ndim > 1 and output.shape[1] == rows):
        yield _between_examples(asked.site, output, given, operations)
    sequences = [
        t for t in asked.call.inputs if not t.is_floating_point() and t.ndim == 2 and t.shape[1] >= LEAST_LENGTH
    ]
    for ids in sequences:
        if _predicts_next(asked.target, ids):
            yield from _from_the_future(asked, output, leaves, ids, "future")
        elif _asks_for(asked.target, ids):
            yield from _from_the_future(asked, output, leaves, ids, "same")
    yield from _on_padding(asked, output, leaves)


def _rows_of_ids(inputs: list[torch.Tensor], output: torch.Tensor, leaves: list[torch.Tensor]) -> int:
    """Where no loader tells: as many as all ids have rows, unless the examples may as well lie along the second axis.

    They do not where the places along it depend on one another, as those of a sequence do; 0 where it is not known.
    """
    known = all(t.ndim == 2 and not t.is_floating_point() for t in inputs) and len({len(t) for t in inputs}) == 1
    if not known or output.ndim < 2:
        return 0
    by_place = any(output.shape[1] == t.shape[1] for t in inputs)
    return len(inputs[0]) if not by_place or sum(_touched(output, leaves, axis=1)) > 1 else 0


def _touched(made: torch.Tensor, leaves: list[torch.Tensor], axis: int = 0) -> list[bool]:
    """On which places along an axis the middle one rests, by the leaves that have as many."""
    length = made.shape[axis]
    found = torch.zeros(length, dtype=torch.bool)
    for gradient in _pulled(made.select(axis, length // 2).sum(), leaves):
        if gradient is not None and gradient.ndim > axis and gradient.shape[axis] == length:
            found |= gradient.movedim(axis, 0).reshape(length, -1).abs().sum(1).cpu() > 0
    return found.tolist()


def _between_examples(
    site: Site | None, output: torch.Tensor, leaves: list[torch.Tensor], operations: CallsInOrder
) -> Dependence:
    def others(made: torch.Tensor) -> int:
        touched = _touched(made, leaves)
        return sum(touched) - touched[len(made) // 2]

    rows, many = len(output), others(output)
    first = operations.first(lambda made: len(made) == rows and others(made) > 0) if many else None
    return Dependence(
        step=0,
        kind="examples",
        site=first.site if first is not None and first.site is not None else site,
        own=_touched(output, leaves)[rows // 2],
        others=many,
        of=rows - 1,
        operation=first.name if first is not None else "",
        normalises=first is not None and first.normalises,
    )


def _predicts_next(target: torch.Tensor | None, ids: torch.Tensor) -> bool:
    if target is None or target.is_floating_point():
        return False
    rows, length = ids.shape
    if target.numel() == rows * length:
        return _share(target.reshape(rows, length)[:, :-1], ids[:, 1:]) > NEXT_TOKEN
    if target.numel() == rows * (length - 1):
        return _share(target.reshape(rows, length - 1), ids[:, 1:]) > NEXT_TOKEN
    return False


def _asks_for(target: torch.Tensor | None, ids: torch.Tensor) -> bool:
    """The very ids that are given."""
    same = target is not None and not target.is_floating_point() and target.numel() == ids.numel()
    return same and target is not None and _share(target.reshape(ids.shape), ids) > NEXT_TOKEN


def _from_the_future(
    asked: Asked, output: torch.Tensor, leaves: list[Leaf], ids: torch.Tensor, kind: str
) -> Iterator[Dependence]:
    """Among the embeddings of these very ids: an encoder's input may well be seen as a whole."""
    rows, length = ids.shape
    own_leaves = [leaf.tensor for leaf in leaves if leaf.ids is not None and torch.equal(leaf.ids, ids)]
    answers = by_position(output, rows, length)
    if answers is None or not own_leaves:
        return
    position = length // 2
    later = own = 0
    for gradient in _pulled(answers[:, position].sum(), own_leaves):
        if gradient is not None and gradient.shape[:2] == (rows, length):
            touched = gradient.abs().sum((0, *range(2, gradient.ndim))) > 0
            later, own = max(later, int(touched[position + 1 :].sum())), max(own, int(touched[: position + 1].sum()))
    yield Dependence(step=0, kind=kind, site=asked.site, own=own > 0, others=later, of=length - position - 1)


def by_position(output: torch.Tensor, rows: int, length: int) -> torch.Tensor | None:
    """With the positions second; None where it cannot be told which axis they are."""
    shape = tuple(output.shape)
    if shape[1:].count(length) > 1 or (shape[:1] != (rows,) and shape[:1] != (rows * length,)):
        return None
    if shape[0] == rows * length and length > 1:
        return output.reshape(rows, length, -1)
    return output.movedim(shape.index(length, 1), 1) if length in shape[1:] else None


def _on_padding(asked: Asked, output: torch.Tensor, leaves: list[Leaf]) -> Iterator[Dependence]:
    """For models that give one answer to a whole sequence, with an embedding that knows its padding."""
    for leaf in leaves:
        ids = leaf.ids
        if ids is None or leaf.padding is None or ids.ndim != 2 or len(output) != len(ids):
            continue
        padded = ids == leaf.padding
        share = padded.float().mean(1)
        chosen = (share >= LEAST_PADDED) & (share <= MOST_PADDED)
        one_answer = output.ndim == 1 or (output.ndim == 2 and output.shape[1] != ids.shape[1])
        if not one_answer or int(chosen.sum()) < LEAST_ROWS:
            continue
        weights = torch.randn(output.shape, generator=torch.Generator().manual_seed(0), device="cpu").to(output)
        (gradient,) = _pulled((output * weights).sum(), [leaf.tensor])
        if gradient is None:
            continue
        size = gradient.reshape(*ids.shape, -1).norm(dim=2)
        resting = (size * padded).sum(1) > MAINLY * size.sum(1).clamp_min(1e-30)
        mainly, asked_rows = int((resting & chosen).sum()), int(chosen.sum())
        yield Dependence(step=0, kind="padding", site=asked.site, own=True, others=mainly, of=asked_rows)


def _pulled(root: torch.Tensor, leaves: list[torch.Tensor]) -> tuple[torch.Tensor | None, ...]:
    return torch.autograd.grad(root, leaves, allow_unused=True, retain_graph=True)


def _share(left: torch.Tensor, right: torch.Tensor) -> float:
    return float((left == right).float().mean().item()) if left.numel() else 0.0


def _run(call: "Call") -> tuple[torch.Tensor | None, list[Leaf]]:
    """The model once more on its first inputs, with leaves at its floating-point inputs and its embeddings."""
    leaves: list[Leaf] = []

    def leaf(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point():
            return tensor
        leaves.append(Leaf(tensor.detach().clone().requires_grad_(True)))
        return leaves[-1].tensor

    def embedded(module: torch.nn.Module, given: Any, made: torch.Tensor) -> torch.Tensor:
        ids = next(reading.tensors_in(given), None)
        padding: Any = module.padding_idx
        leaves.append(Leaf(made.detach().clone().requires_grad_(True), ids, padding))
        return leaves[-1].tensor

    kept = [m.register_forward_hook(embedded) for m in call.module.modules() if isinstance(m, torch.nn.Embedding)]
    output = call.module(*changed(call.arguments, leaf), **changed(call.keywords, leaf))
    for handle in kept:
        handle.remove()
    floats = [t for t in reading.tensors_in(output) if t.is_floating_point() and t.requires_grad and t.ndim]
    return (floats[0] if floats else None), leaves
