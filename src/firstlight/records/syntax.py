"""Questions to a syntax tree that several facts and checks ask."""

import ast
import re
from collections.abc import Iterator
from typing import Any

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)
CUTTING = re.compile(r"\.detach\(|\.item\(|\.numpy\(|\bfloat\(|\.data\b|no_grad|inference_mode")
"""What takes a value out of its graph, as it is written."""
LIBRARIES = frozenset({"torch", "F", "np", "numpy", "math", "nn"})
"""Names that begin a call of a function, not of a network."""


def own(scope: ast.AST) -> Iterator[Any]:
    """What a function does itself, without the functions and classes defined in it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child
            yield from own(child)


def name_of(node: ast.AST) -> str:
    """The last word of a name: `step` of `self.optimizer.step`; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))
