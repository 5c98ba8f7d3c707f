"""Sequences: windows that are off, positions, and padding that counts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault, leak
from zoo.mutations.plant import at, at_all, replaced, wrapped
from zoo.mutations.rewrites import without_argument
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import training

_POSITION = re.compile(r"\b(self\.)?(pos\w*|pe|wpe|\w*_pos|position\w*)\b", re.IGNORECASE)


def _position_sums(source: Source) -> Iterator[ast.BinOp]:
    """`tokens + positions` in forward."""
    for function in training(source).forwards:
        for node in inside(function, ast.BinOp):
            if (
                isinstance(node.op, ast.Add)
                and _POSITION.search(source.text(node.right))
                and not _POSITION.search(source.text(node.left))
            ):
                yield node


def _positions(source: Source) -> Iterator[ast.expr]:
    return (node.right for node in _position_sums(source))


def _ignoring(source: Source) -> Iterator[ast.Call]:
    """The losses that ignore padding."""
    return (call for call in source.walk(ast.Call) if argument(call, "ignore_index") is not None)


def _filled_targets(source: Source) -> Iterator[ast.expr]:
    """The value targets are padded with, where it is not zero."""
    for call in source.walk(ast.Call):
        value = argument(call, "padding_value")
        text = source.text(call).lower()
        if value is not None and source.text(value) not in {"0", "PAD", "0.0"} and ("label" in text or "tag" in text):
            yield value
    for call in source.calls("torch.full"):
        if len(call.args) > 1 and ("IGNORE" in source.text(call.args[1]) or source.text(call.args[1]) == "-100"):
            yield call.args[1]


def _lengths(source: Source) -> Iterator[ast.expr]:
    """The lengths by which padded sequences are packed."""
    for call in source.walk(ast.Call):
        if last_name(call) == "pack_padded_sequence" and len(call.args) > 1:
            yield call.args[1]


def _mask_products(source: Source) -> Iterator[ast.BinOp]:
    """`values * mask` in forward, as in pooling over what is no padding."""
    for function in training(source).forwards:
        for node in inside(function, ast.BinOp):
            if isinstance(node.op, ast.Mult) and re.search(r"mask|keep|valid", source.text(node.right)):
                yield node


def _last_slice(node: ast.Subscript) -> ast.Slice | None:
    inner = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) else node.slice
    return inner if isinstance(inner, ast.Slice) else None


def _later_slices(source: Source) -> Iterator[ast.Subscript]:
    """The slice of what comes next, beside the slice of the same thing that is given: `text[1:]` beside `text[:-1]`."""
    for later in source.walk(ast.Subscript):
        around = source.parent(later)
        paired = isinstance(around, ast.Call) and last_name(around) == "zip"
        if not paired and _given_slice(source, later) is not None:
            yield later


def _given_slice(source: Source, later: ast.Subscript) -> ast.Slice | None:
    cut, around = _last_slice(later), source.function(later) or source.file(later).tree
    for given in inside(around, ast.Subscript):
        other = _last_slice(given)
        if given is later or cut is None or other is None or ast.dump(given.value) != ast.dump(later.value):
            continue
        shifted = other.lower is None and _text(source, other.upper) == "-1" and _text(source, cut.lower) == "1"
        first = isinstance(cut.lower, ast.BinOp) and other.lower is not None and source.text(other.lower)
        moved = cut.upper is not None and first and _text(source, cut.lower).startswith(str(first) + " + ")
        if (shifted and cut.upper is None) or moved:
            return other
    return None


def _text(source: Source, node: ast.expr | None) -> str:
    return source.text(node) if node is not None else ""


def _one_back(source: Source, later: ast.Subscript) -> list[Edit]:
    """Slice one earlier, so that the last of what is given is among what is wanted."""
    cut = _last_slice(later)
    assert cut is not None
    if cut.upper is None and cut.lower is not None:
        return edit.replace(source, cut, ":-1")
    edits = []
    for bound in (cut.lower, cut.upper):
        edits += edit.replace(source, bound, f"{source.text(bound)} - 1") if bound is not None else []
    return edits


def _two_ahead(source: Source, later: ast.Subscript) -> list[Edit]:
    """Wants what comes a step too late, with the last repeated so that lengths agree."""
    assert isinstance(later.value, ast.Name | ast.Attribute)
    return edit.wrap(source, later, "{}.roll(-1, -1)") if "torch" in source.file(later).imports else []


MUTATIONS = (
    leak(
        "target-within-window",
        "data-leak-future",
        "data",
        "The window of the targets starts one step too early.",
        at(_later_slices, _one_back),
    ),
    fault(
        "target-one-step-late",
        "data-label-misaligned",
        "data",
        "The window of the targets is off by one.",
        at(_later_slices, _two_ahead),
    ),
    fault(
        "positions-not-added",
        "arch-position",
        "class",
        "Forgets to add the positions to the tokens.",
        at(_position_sums, lambda source, node: edit.replace(source, node, source.text(node.left))),
    ),
    fault(
        "positions-drown-tokens",
        "arch-position",
        "class",
        "Adds positions a hundred times larger than the tokens.",
        at(_positions, wrapped("100 * {}")),
    ),
    fault(
        "positions-along-features",
        "arch-position",
        "class",
        "Averages positions over the sequence, so all are the same.",
        at(_positions, wrapped("{}.mean(-2, keepdim=True)")),
    ),
    fault(
        "padding-counted-in-loss",
        "data-padding",
        "loop",
        "The loss counts padded positions.",
        at(_ignoring, without_argument("ignore_index")),
    ),
    fault(
        "targets-padded-with-class",
        "data-padding",
        "data",
        "Pads targets with a class instead of the ignored value.",
        at_all(_filled_targets, replaced("0")),
    ),
    fault(
        "padding-packed-as-data",
        "data-padding",
        "class",
        "Packs all sequences at the longest length.",
        at(_lengths, wrapped("torch.full_like(torch.as_tensor({}), int(max({})))")),
    ),
    fault(
        "padding-pooled",
        "data-padding",
        "class",
        "Pools over padding too.",
        at(_mask_products, lambda source, node: edit.replace(source, node, source.text(node.left))),
    ),
)
