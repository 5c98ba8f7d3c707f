"""Divisions, differences and comparisons of the user's own, in source and at work: of these a metric is made.

    right / total                   __firstlight_divided__(right, total)
    total /= len(loader)            total /= __firstlight_divisor__(total, len(loader))
    predictions == labels           __firstlight_equal__(predictions, labels)
    (predicted - wanted) ** 2       __firstlight_apart__(predicted, wanted) ** 2

What torch computes is heard from torch; numbers of Python and arrays of numpy nobody else hears of.
"""

import ast
import contextlib
import operator
from collections.abc import Callable
from typing import Any

from firstlight.experiments.inside.shortening.rewriting import call, compiles

DIVIDED, DIVISOR = "__firstlight_divided__", "__firstlight_divisor__"
EQUAL, UNEQUAL, APART = "__firstlight_equal__", "__firstlight_unequal__", "__firstlight_apart__"
Heard = Callable[..., None]


def _nobody(*_: Any) -> None:
    """Until somebody wants to be told."""


class Arithmetic:
    """All of one process."""

    def __init__(self) -> None:
        self.on = False
        """Something is evaluated; else nobody is told, and preparing data does not become slow."""
        self.share: Heard = _nobody
        """Is told of a sum and what it is divided by."""
        self.arrays: Heard = _nobody
        """Is told the name of a torch function, two arrays of one shape, and what numpy makes of them."""

    def divided(self, total: Any, count: Any) -> Any:
        self.divisor(total, count)
        return total / count

    def divisor(self, total: Any, count: Any) -> Any:
        if self.on:
            with contextlib.suppress(Exception):  # whatever is divided, the program must go on
                self.share(total, count)
        return count

    def equal(self, one: Any, other: Any) -> Any:
        return self._arrays("eq", operator.eq, one, other)

    def unequal(self, one: Any, other: Any) -> Any:
        return self._arrays("ne", operator.ne, one, other)

    def apart(self, one: Any, other: Any) -> Any:
        return self._arrays("sub", operator.sub, one, other)

    def _arrays(self, name: str, function: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
        found = function(one, other)
        if self.on and type(one).__module__ == type(other).__module__ == "numpy":
            with contextlib.suppress(Exception):  # as above
                if one.ndim and one.shape == other.shape:
                    self.arrays(name, one, other, found)
        return found

    def builtins(self) -> dict[str, Callable[[Any, Any], Any]]:
        return {
            DIVIDED: self.divided,
            DIVISOR: self.divisor,
            EQUAL: self.equal,
            UNEQUAL: self.unequal,
            APART: self.apart,
        }


def heard(tree: ast.Module) -> ast.Module:
    found: ast.Module = _Heard().visit(tree)
    return found


class _Heard(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if any(map(compiles, node.decorator_list)) else self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow):
            node.left = _difference(node.left)
        return call(DIVIDED, node, node.left, node.right) if isinstance(node.op, ast.Div) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and isinstance(node.target, ast.Name):
            node.value = call(DIVISOR, node.value, ast.Name(node.target.id, ast.Load()), node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [_difference(argument) for argument in node.args]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[right]) if not _any_constant(node.left, right):
                return call(EQUAL if isinstance(node.ops[0], ast.Eq) else UNEQUAL, node, node.left, right)
        return node


def _difference(node: ast.expr) -> ast.expr:
    match node:
        case ast.BinOp(op=ast.Sub(), left=left, right=right) if not _any_constant(left, right):
            return call(APART, node, left, right)
    return node


def _any_constant(*sides: ast.expr) -> bool:
    return any(isinstance(side, ast.Constant) for side in sides)
