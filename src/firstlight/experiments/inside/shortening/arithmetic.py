"""Divisions, differences, comparisons and masks of the user's own, in source and at work: of these a metric is made.

    right / total                   __firstlight_divided__(right, total)
    total /= len(loader)            total /= __firstlight_divisor__(total, len(loader))
    predictions == labels           __firstlight_equal__(predictions, labels)
    (predicted - wanted) ** 2       __firstlight_apart__(predicted, wanted) ** 2
    (said == c) & (true == c)       __firstlight_beside__((said == c) & (true == c), said, true)
    said[true == c]                 __firstlight_beside__(said[true == c], said, true)
    true * count + said             __firstlight_beside__(true * count + said, true, said)
    zip(said, true)                 zip(*__firstlight_both__(said, true))

What torch computes is heard from torch; numbers of Python and arrays of numpy nobody else hears of.
"""

import ast
import contextlib
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from firstlight.experiments.inside.shortening.rewriting import call, compiles

DIVIDED, DIVISOR = "__firstlight_divided__", "__firstlight_divisor__"
EQUAL, UNEQUAL, APART = "__firstlight_equal__", "__firstlight_unequal__", "__firstlight_apart__"
BESIDE, BOTH = "__firstlight_beside__", "__firstlight_both__"
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

        self.pairs: Heard = _nobody
        """Is told two things of one length that are gone through side by side."""

    def beside(self, found: Any, one: Any, other: Any) -> Any:
        self.both(one, other)
        return found

    def both(self, one: Any, other: Any) -> tuple[Any, Any]:
        if self.on:
            with contextlib.suppress(Exception):  # as below
                if len(one) == len(other):
                    self.pairs(one, other)
        return one, other

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

    def builtins(self) -> dict[str, Callable[..., Any]]:
        return {
            DIVIDED: self.divided,
            DIVISOR: self.divisor,
            EQUAL: self.equal,
            UNEQUAL: self.unequal,
            APART: self.apart,
            BESIDE: self.beside,
            BOTH: self.both,
        }


def heard(tree: ast.Module) -> ast.Module:
    found: ast.Module = _Heard().visit(tree)
    return found


class _Heard(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if any(map(compiles, node.decorator_list)) else self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        names = list(_beside(node))
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow):
            node.left = _difference(node.left)
        if isinstance(node.op, ast.Div):
            return call(DIVIDED, node, node.left, node.right)
        return _told(node, names)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        names = list(_pair((node.value.id if isinstance(node.value, ast.Name) else "", _masked(node.slice))))
        self.generic_visit(node)
        return _told(node, names) if isinstance(node.ctx, ast.Load) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and isinstance(node.target, ast.Name):
            node.value = call(DIVISOR, node.value, ast.Name(node.target.id, ast.Load()), node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        names = list(_pair(map(_masked, node.args)))
        self.generic_visit(node)
        node.args = [_difference(argument) for argument in node.args]
        match node:
            case ast.Call(func=ast.Name("zip"), args=[one, other]) if not isinstance(one, ast.Starred):
                node.args = [ast.Starred(call(BOTH, one, one, other), ast.Load())]
        return _told(node, names)

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


def _told(node: ast.expr, names: list[tuple[str, str]]) -> ast.expr:
    for one, other in names:
        node = call(BESIDE, node, node, ast.Name(one, ast.Load()), ast.Name(other, ast.Load()))
    return node


def _beside(node: ast.BinOp) -> Iterator[tuple[str, str]]:
    """Names of what lies side by side: two masks, or the rows and columns that a table is counted by."""
    match node:
        case ast.BinOp(op=ast.BitAnd() | ast.Mult(), left=left, right=right):
            yield from _pair(map(_masked, (left, right)))
        case ast.BinOp(op=ast.Add(), left=ast.BinOp(op=ast.Mult(), left=one, right=two), right=ast.Name(name)):
            yield from ((each.id, name) for each in (one, two) if isinstance(each, ast.Name) and each.id != name)


def _masked(node: ast.expr) -> str:
    """What a mask is made of, by one comparison."""
    match node:
        case ast.Compare(left=ast.Name(name), ops=[_]):
            return name
    return ""


def _pair(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    found = list(names)
    if len(found) == 2 and all(found) and found[0] != found[1]:
        yield found[0], found[1]


def _any_constant(*sides: ast.expr) -> bool:
    return any(isinstance(side, ast.Constant) for side in sides)
