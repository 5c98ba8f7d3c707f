"""Which inputs of an example move the outputs that meet its answers, and do the answers rest on those inputs?

The model is called once more, in a copy of the process: gradients say how much each input moves an output, and inputs
that are exchanged for another example's say whether they really do not. A plain fit is given all inputs, those that
move the output, and those that move it ever so little.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.relations.guessing import foretold
from firstlight.observe.inside.relations.sample import AnswerMet, Sample, distinct, features_of
from firstlight.observe.inside.relations.skill import coded, wrong
from firstlight.observe.inside.relations.telling import powers
from firstlight.observe.inside.tape.tail import Meeting
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Skills

if TYPE_CHECKING:
    from firstlight.observe.inside.taps.models import Call

MOST_VALUES = 1 << 20
"""In a batch, of what a model is given and gives; more is not held until the program ends."""
MOST_PARAMETERS = 1 << 24
MOST_ROWS = 384
"""Of the plain fits, of which there are up to six."""
LEAST_ROWS = 256
SKILLED, BEHIND = 0.5, 0.5
"""Skill of a plain fit, and the share of it with less of which a program is behind."""
FAINT = 1e-3
"""Influence of an input over that of the strongest, below which it hardly moves the output."""


@dataclass(frozen=True)
class LastCall:
    """Of a model, with what met the answers; without the graph, which the program is done with."""

    module: torch.nn.Module
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    given: tuple[torch.Tensor, ...]
    """As in the sample."""
    output: torch.Tensor
    met: torch.Tensor


@dataclass(frozen=True)
class _Ask:
    """Elements of an example's output, and the columns of the answer that they are the prediction of."""

    elements: torch.Tensor
    columns: slice
    place: tuple[int, ...]


@dataclass(frozen=True)
class _Examples:
    """Of the sample."""

    columns: list[torch.Tensor]
    """A table for each input, with a column for each value that the model is given."""
    answer: torch.Tensor
    kind: str
    """As in `OwnSkill`."""


def behind(skills: Skills) -> bool:
    """Then it is asked what the program sees."""
    return skills.plain >= SKILLED and skills.own < BEHIND * skills.plain


def last_call(call: "Call", inputs: Sequence[torch.Tensor], meeting: Meeting) -> LastCall | None:
    """None where it is too large to be held, or is not on the CPU, where alone a copy can be asked."""
    met = next((t for t, _, _ in meeting.row.inputs if t.requires_grad and t.ndim and t.is_floating_point()), None)
    output = next(_outputs(call.output), None)
    if met is None or output is None or len(output) != len(met) or len(met) < 2:
        return None
    given = tuple(tensor for tensor in inputs if any(tensor is one for one in call.inputs))
    held = (*given, *call.inputs, output, met)
    small = sum(tensor.numel() for tensor in held) <= MOST_VALUES and all(t.device.type == "cpu" for t in held)
    if not given or len(given) != len(inputs) or not small or not all(map(reading.readable, held)):
        return None
    if sum(parameter.numel() for parameter in call.module.parameters()) > MOST_PARAMETERS:
        return None
    return LastCall(call.module, call.arguments, call.keywords, given, output.detach(), met.detach())


def _outputs(tree: Any) -> Iterator[torch.Tensor]:
    return (t for t in reading.tensors_in(tree) if t.requires_grad and t.is_floating_point() and t.ndim)


def reached(last: LastCall, sample: Sample, kind: str) -> InputsReached:
    """Changes the mode of the model, and is asked of a copy."""
    columns, answer = _columns(last, sample), sample.answer()
    asks = _asks(last, 1 if kind == "classes" else answer.shape[1])
    if columns is None or not asks:
        return InputsReached()
    examples = _Examples(columns, answer, kind)
    last.module.eval()
    with torch.enable_grad():
        influences = list(_influences(last, asks, columns))
    found = [_of_ask(last, ask, influence, examples) for ask, influence in zip(asks, influences, strict=True)]
    return max(
        (one for one in found if one is not None), key=lambda one: one.plain - one.within, default=InputsReached()
    )


def _columns(last: LastCall, sample: Sample) -> list[torch.Tensor] | None:
    """The sample's examples, a column for each value that the model is given; None where it holds but some of them."""
    kept = sample.inputs()
    if len(kept) != len(last.given):
        return None
    found = [table[:, : given[0].numel()] for table, given in zip(kept, last.given, strict=True)]
    whole = all(table.shape[1] == given[0].numel() for table, given in zip(found, last.given, strict=True))
    return found if whole else None


def _asks(last: LastCall, width: int) -> list[_Ask]:
    """Where each prediction comes from is told by its values, whatever was cut out of the output or laid otherwise."""
    output, met = (tensor.reshape(len(tensor), -1) for tensor in (last.output, last.met))
    if width == 1:
        own = [_same_column(output, column) for column in met.t()] if met.shape[1] <= output.shape[1] else []
        elements = [one for one in own if one is not None] or list(range(output.shape[1]))
        return [_Ask(torch.tensor(elements), slice(None), ())]
    if width != met.shape[1]:
        return []
    # One amid the others and the last one, which has most of a sequence behind it.
    found = [(_same_column(output, met[:, column]), column) for column in (width // 2, width - 1)]
    shape = last.output.shape[1:]
    return [
        _Ask(torch.tensor([place]), slice(column, column + 1), _index(place, shape))
        for place, column in found
        if place is not None
    ]


def _same_column(output: torch.Tensor, column: torch.Tensor) -> int | None:
    same = torch.nonzero((output == column[:, None]).all(0)).reshape(-1)
    return int(same[0]) if len(same) else None


def _index(place: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Of the value that stands at this place once an example is laid flat."""
    found = []
    for size in reversed(shape):
        place, at = divmod(place, max(1, size))
        found.append(at)
    return tuple(reversed(found))


def _influences(last: LastCall, asks: list[_Ask], columns: list[torch.Tensor]) -> Iterator[torch.Tensor | None]:
    """For each output the influence of each input, over the range that the input has; None where it is not known."""
    leaves: dict[int, list[torch.Tensor]] = {index: [] for index in range(len(last.given))}
    output = _called(last, _leaf_of(last, leaves), leaves)
    spreads = [table.std(0) for table in columns]
    for ask in asks:
        flat = output.reshape(len(output), -1)[:, ask.elements] if output is not None else None
        if flat is None or not flat.requires_grad:
            yield None
            continue
        signs = torch.randn(flat.shape[1], generator=torch.Generator().manual_seed(0), device="cpu").to(flat)
        every = [leaf for group in leaves.values() for leaf in group]
        slopes = iter(torch.autograd.grad((flat * signs).sum(), every, allow_unused=True, retain_graph=True))
        found = []
        for index, group in leaves.items():
            size = torch.zeros(last.given[index][0].numel())
            for leaf in group:
                slope = next(slopes)
                if slope is not None:
                    size += _sizes(slope, leaf, last.given[index], spreads[index])
            found.append(size)
        yield torch.cat(found) if all(leaves.values()) else None


def _leaf_of(last: LastCall, leaves: dict[int, list[torch.Tensor]]) -> dict[int, torch.Tensor]:
    """What numbers are given instead, so that gradients come to them; ids are met where they are embedded."""
    told = {}
    for index, given in enumerate(last.given):
        if given.is_floating_point():
            told[id(given)] = given.detach().clone().requires_grad_()
            leaves[index].append(told[id(given)])
    return told


def _called(
    last: LastCall, told: dict[int, torch.Tensor], leaves: dict[int, list[torch.Tensor]] | None = None
) -> torch.Tensor | None:
    """The output with other tensors in place of those with these ids."""

    def embedded(_module: torch.nn.Module, given: Any, made: torch.Tensor) -> torch.Tensor | None:
        ids = next(reading.tensors_in(given), None)
        for index, one in enumerate(last.given):
            same = ids is not None and ids.numel() == one.numel() and torch.equal(ids.reshape(one.shape), one)
            if leaves is not None and not one.is_floating_point() and same:
                leaf = made.detach().clone().requires_grad_()
                leaves[index].append(leaf)
                return leaf
        return None

    kept = [m.register_forward_hook(embedded) for m in last.module.modules() if isinstance(m, torch.nn.Embedding)]
    made = last.module(*_with(last.arguments, told), **_with(last.keywords, told))
    for handle in kept:
        handle.remove()
    same = (t for t in reading.tensors_in(made) if t.is_floating_point() and t.shape == last.output.shape)
    return next(same, None)


def _with(tree: Any, told: dict[int, torch.Tensor]) -> Any:
    if isinstance(tree, torch.Tensor):
        return told.get(id(tree), tree)
    if isinstance(tree, dict):
        return {key: _with(item, told) for key, item in tree.items()}
    return type(tree)(_with(item, told) for item in tree) if type(tree) in (list, tuple) else tree


def _sizes(slope: torch.Tensor, leaf: torch.Tensor, given: torch.Tensor, spread: torch.Tensor) -> torch.Tensor:
    """For each value of an example: its slope times the range it has, or its vector's."""
    if given.is_floating_point():
        return slope.reshape(len(given), -1).abs().mean(0).cpu() * spread
    vectors = leaf.detach().reshape(len(given), given[0].numel(), -1)
    return (slope.reshape(vectors.shape).abs() * vectors.std(0)).sum(2).mean(0)


def _of_ask(last: LastCall, ask: _Ask, influence: torch.Tensor | None, examples: _Examples) -> InputsReached | None:
    if influence is None or not bool(torch.isfinite(influence).all()) or not float(influence.max()) > 0:
        return None
    share = influence / influence.max()
    near, none = share >= FAINT, share == 0
    columns, kind = examples.columns, examples.kind
    moving = torch.cat([table.std(0) > 0 for table in columns])
    if bool((near | ~moving).all()):
        return InputsReached(inputs=len(near), reached=int(near.sum()))
    chosen = distinct(columns)[:MOST_ROWS]
    if len(chosen) < LEAST_ROWS:
        return None
    tables, answer = [table[chosen] for table in columns], examples.answer[chosen][:, ask.columns]
    plain, within, faintly = (_skill(tables, kept, answer, kind) for kept in (moving, near, ~none))
    telling = _telling(torch.cat(tables, 1), ~near & moving, answer, kind)
    shapes = [given.shape[1:] for given in last.given]
    seen = torch.nonzero(near).reshape(-1).tolist()
    with torch.no_grad():
        by_near = _moved(last, ask, near)
        moved, unmoved = (_moved(last, ask, others) / max(by_near, 1e-30) for others in (~near, none))
    return InputsReached(
        inputs=len(near),
        reached=len(seen),
        output=ask.place,
        first=_placed(seen[0], shapes),
        last=_placed(seen[-1], shapes),
        telling=_placed(telling, shapes),
        plain=plain,
        within=within,
        faintly=faintly,
        faintest=float(share[share > 0].min()),
        moved=moved,
        by_none=unmoved,
    )


def _skill(tables: list[torch.Tensor], kept: torch.Tensor, answer: torch.Tensor, kind: str) -> float:
    """Of a plain fit to some of the inputs: 0 is what one answer for all examples gets, 1 is never wrong."""
    parts = [table[:, own] for table, own in zip(tables, kept.split([t.shape[1] for t in tables]), strict=True)]
    table = torch.cat([features_of(part) for part in parts if part.shape[1]], 1)
    code = coded(answer, kind)
    base = wrong(kind, code.mean(0, keepdim=True).expand_as(code), code)
    return 1 - wrong(kind, foretold(table, code)[0], code) / base if base > 0 else 0.0


def _telling(tables: torch.Tensor, among: torch.Tensor, answer: torch.Tensor, kind: str) -> int:
    """The input that tells most of the answer by itself."""
    moving = torch.nonzero(among).reshape(-1)
    values = answer.argmax(1) if kind == "classes" and answer.shape[1] > 1 else answer[:, 0]
    kinds, places = torch.unique(values, return_inverse=True)
    alone = AnswerMet(values, 0) if kind == "values" else AnswerMet(places, len(kinds))
    return int(moving[powers(tables[:, moving].double(), alone).argmax()])


def _placed(column: int, shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Of a column of all inputs: its index in its own input, behind that input's number if there are several."""
    for number, shape in enumerate(shapes):
        if column < math.prod(shape):
            return (number, *_index(column, shape)) if len(shapes) > 1 else _index(column, shape)
        column -= math.prod(shape)
    return ()


def _moved(last: LastCall, ask: _Ask, exchanged: torch.Tensor) -> float:
    """By how much the output moves where these inputs are another example's."""
    told = {}
    for given, own in zip(last.given, exchanged.split([one[0].numel() for one in last.given]), strict=True):
        there = own.reshape(given.shape[1:]).expand_as(given)
        told[id(given)] = torch.where(there, given.roll(1, 0), given)
    before, after = _called(last, {}), _called(last, told)
    if before is None or after is None:
        return math.nan
    both = (made.reshape(len(made), -1)[:, ask.elements].double() for made in (before, after))
    return float((next(both) - next(both)).square().mean().sqrt())
