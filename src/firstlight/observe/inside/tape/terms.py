"""Terms of the loss that rest on what is trained, and carry no gradient to it."""

from collections.abc import Iterator

import torch
from msgspec.structs import replace

from firstlight.observe.inside.tape.recorder import Input, Made, Mark, Row, walk
from firstlight.observe.inside.tape.tail import CANNOT, Tail, meetings_at
from firstlight.records.taped import TermSeen

SUMS = frozenset({"add", "__add__", "__radd__", "add_", "__iadd__", "sub", "__sub__", "__rsub__", "sub_", "__isub__"})
LINEAR = SUMS | {"mean", "sum", "neg", "__neg__", "squeeze", "stack", "cat", "to", "float", "double"}
"""What stands between the loss and its terms; products with numbers and scalars are looked through as well."""
ROUNDING = 1e-6
"""Relative."""
FLAT = frozenset({"round", "sign", "floor", "ceil", "trunc", "normal", "bernoulli", "poisson"})
"""Calls that hand on a gradient of zero everywhere: steps, and draws from what they were given."""
DERIVATIVE = "grad"
"""`torch.autograd.grad`, as the tape calls it."""
PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "div", "__truediv__", "mul_", "div_", "__imul__", "__itruediv__"})


def silent_terms(tail: Tail) -> Iterator[TermSeen]:
    """Those that a plain sum joins to others which do carry a gradient."""
    rows = {row.number: row for row in tail.rows}
    waiting, seen = [tail.rows[-1]], set[int]()
    while waiting:
        row = waiting.pop()
        if row.number in seen or not passes(row):
            continue
        seen.add(row.number)
        for tensor, marks, made in row.inputs:
            if made is not None and tensor.requires_grad and made[0].number in rows:
                waiting.append(made[0])
            elif row.name in SUMS and not tensor.requires_grad and marks & Mark.TRAINED and _counts(tensor):
                cut = None if made is None else _cut(made[0])
                yield _term(tail, float(tensor.detach().double().mean()), cut, row)


def silent_derivatives(tail: Tail) -> Iterator[TermSeen]:
    """Those that a residual adds to outputs of the network, which carry a gradient.

    Other values are detached there on purpose, as a target that the network gave itself. A step from a weight along
    its own gradient adds nothing to an output.
    """
    seen = set[int]()
    for row in walk(tail.rows[-1], within=True):
        if row.name not in SUMS or not any(_is_output(made) for one, _, made in row.inputs if one.requires_grad):
            continue
        for tensor, marks, made in row.inputs:
            if made is None or tensor.requires_grad or not marks & Mark.TRAINED or not _counts(tensor):
                continue
            cut = _cut(made[0])
            if cut.name == DERIVATIVE and cut.number not in seen:
                seen.add(cut.number)
                yield replace(_term(tail, float(tensor.detach().double().abs().mean()), cut, row), derivative=True)


def _is_output(made: Made | None) -> bool:
    """More than a leaf that was added to or multiplied, as weights are when they take a step."""
    waiting = [made]
    while waiting:
        made = waiting.pop()
        if made is not None and made[0].name not in SUMS | PRODUCTS:
            return True
        waiting.extend([] if made is None else [before for one, _, before in made[0].inputs if one.requires_grad])
    return False


def _term(tail: Tail, value: float, cut: Row | None, added: Row, unfelt: int = 0) -> TermSeen:
    """Named after the cut; where that is not known, after the call that it joins the others in."""
    return TermSeen(
        operation=added.name if cut is None else cut.name,
        site=None if cut is None else cut.line,
        added=added.line,
        value=value,
        loss=float(tail.loss.detach()),
        unfelt=unfelt,
    )


def passes(row: Row) -> bool:
    """The loss depends on what this row was given as a sum depends on its terms."""
    if row.name in LINEAR:
        return True
    rest = [tensor for tensor, _, _ in row.inputs if not tensor.requires_grad]
    scaled = len(row.inputs) - len(rest) == 1 and all(tensor.numel() == 1 for tensor in rest)
    return row.name in PRODUCTS and scaled


def _counts(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and bool((tensor != 0).any())


def _cut(made: Row) -> Row:
    """The first call on the way to this one that lost a gradient."""
    seen, waiting, found = set[int](), [made], [made]
    while waiting:
        row = waiting.pop()
        if row.number in seen or _takes_a_shape(row):
            continue
        seen.add(row.number)
        if any(tensor.requires_grad for tensor, _, _ in row.inputs):
            found.append(row)
        waiting.extend(origin[0] for tensor, _, origin in row.inputs if origin is not None and not tensor.requires_grad)
    return min(found[1:] or found, key=lambda row: row.number)


def _takes_a_shape(row: Row) -> bool:
    """It was given no values."""
    return row.name.endswith("_like") or row.name.startswith("new_")


def unfelt_terms(tail: Tail) -> Iterator[TermSeen]:
    """Comparisons with answers that do not train what they rest on, where no other comparison does.

    What is before the cut is trained after all, by terms that meet no answer; and these are no higher where all
    examples are alike, so they ask nothing of what it makes of an example. A penalty on a code is such a term, and a
    contrast between examples is none. A cut before a probe, a target or another player's step leaves a comparison
    that trains what is behind it, or none at all, and is no finding here.
    """
    compared: dict[int, torch.Tensor] = {}
    cuts: dict[int, tuple[Row, Row, dict[int, torch.Tensor]]] = {}
    for row in tail.rows:
        if any(True for _ in meetings_at(row)):
            felt, silent = _reached([item for item in row.inputs if item[0].requires_grad])
            compared |= felt
            for cut, behind in _cuts(silent):
                cuts.setdefault(cut.number, (cut, row, behind))
    loss = float(tail.loss.detach())
    asked = {frozenset[int]()}
    for _, (cut, met, behind) in sorted(cuts.items()):
        unfelt = {key: tensor for key, tensor in behind.items() if key not in compared and tensor.numel() > 1}
        if frozenset(unfelt) in asked:
            continue  # a policy that is asked at each of a hundred moves is cut a hundred times
        asked.add(frozenset(unfelt))
        alike = _loss_of_alike(tail, unfelt)
        if alike is not None and alike <= loss + ROUNDING * abs(loss):
            yield _term(tail, alike, cut, met, len(unfelt))
            return  # what else is cut there is the same to its tensors


def _reached(inputs: list[Input]) -> tuple[dict[int, torch.Tensor], list[Input]]:
    """Trained tensors that a gradient comes to; and what was given to the rows on its way from trained ones without."""
    leaves: dict[int, torch.Tensor] = {}
    silent: list[Input] = []
    waiting, seen = list(inputs), set[int]()
    while waiting:
        tensor, marks, made = waiting.pop()
        flat = made is not None and made[0].name in FLAT
        if not tensor.requires_grad or flat:
            if marks & Mark.TRAINED and marks & ~Mark.TRAINED:
                silent.append((tensor, marks, made))
        elif made is None:
            leaves[id(tensor)] = tensor
        elif made[0].number not in seen:
            seen.add(made[0].number)
            waiting.extend(made[0].inputs)
    return leaves, silent


def _cuts(silent: list[Input]) -> Iterator[tuple[Row, dict[int, torch.Tensor]]]:
    """The rows that lost a gradient on the way to these, each with the trained tensors that it would have come to."""
    waiting, seen = list(silent), set[int]()
    while waiting:
        _, _, made = waiting.pop()
        if made is None or made[0].number in seen:
            continue
        seen.add(made[0].number)
        if _takes_a_shape(made[0]):
            continue
        lost = [item for item in made[0].inputs if item[0].requires_grad]
        if lost:
            yield made[0], _reached(lost)[0]
        waiting.extend(item for item in made[0].inputs if not item[0].requires_grad)


def _loss_of_alike(tail: Tail, unfelt: dict[int, torch.Tensor]) -> float | None:
    """The loss, were the outputs by which these tensors are trained the same for all examples; None where none are."""
    within = {row.number for row in tail.rows}
    alike: dict[int, torch.Tensor] = {}
    for row in tail.rows:
        for tensor, marks, made in row.inputs:
            if not tensor.requires_grad or not tensor.ndim or made is None or made[0].number in within:
                continue
            if marks & ~Mark.TRAINED and unfelt.keys() & _reached([(tensor, marks, made)])[0].keys():
                value = tensor.detach()
                alike[id(tensor)] = value.mean(0, keepdim=True).expand_as(value)
    if not alike:
        return None
    try:
        with torch.no_grad():
            return float(tail.replay(alike))
    except CANNOT:
        return None
