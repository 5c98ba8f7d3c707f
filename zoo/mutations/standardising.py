"""How a program standardises its inputs, and how that is undone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.source import Source
from zoo.mutations.training import training

_SPREAD = re.compile(r"std|\bsd\b|sigma|_s\b|scale", re.IGNORECASE)


def standardisations(source: Source) -> Iterator[ast.BinOp]:
    """`(x - mean) / std`, outside training and models."""
    view = training(source)
    for node in source.walk(ast.BinOp):
        centred = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Sub)
        if (
            isinstance(node.op, ast.Div)
            and centred
            and _SPREAD.search(source.text(node.right))
            and not any(source.function(node) is item for item in view.forwards)
        ):
            yield node


def raw(source: Source, node: ast.expr) -> list[Edit]:
    """`x` for `(x - mean) / std`."""
    inner = node.left if isinstance(node, ast.BinOp) else None
    return edit.replace(source, node, edit.written(source, inner.left)) if isinstance(inner, ast.BinOp) else []


def transforms(source: Source) -> Iterator[ast.Call]:
    """The calls by which a fitted scaler of scikit-learn standardises."""
    for call in source.methods("transform", "fit_transform"):
        if (
            len(call.args) == 1
            and isinstance(call.func, ast.Attribute)
            and "scal" in source.text(call.func.value).lower()
        ):
            yield call


def untransformed(source: Source, node: ast.expr) -> list[Edit]:
    """What a scaler was given, as it was given."""
    given = node.args[0] if isinstance(node, ast.Call) else None
    return edit.replace(source, node, f"numpy.asarray({source.text(given)})") if given is not None else []
