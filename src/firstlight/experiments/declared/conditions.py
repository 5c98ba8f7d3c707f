"""The small language of invariants: comparisons over what was measured of a tensor, now, earlier or elsewhere.

Only names, numbers, arithmetic, comparisons and a few functions are understood; nothing of it is executed as Python.
Free of torch, so that whatever measures can judge.
"""

import ast
import math
import operator
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NAMES = ("min", "max", "mean", "std", "sum", "numel", "finite", "unique", "entropy", "row_sum_low", "row_sum_high")
"""What can be said of a tensor, besides the sizes of its axes: `rows`, `last` and `batch`."""
SIZES = ("rows", "last", "batch", "value", "step")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "close": lambda one, other, tolerance=1e-6: abs(one - other) <= tolerance,
    "sqrt": lambda value: math.sqrt(value) if value >= 0 else math.nan,
    "log": lambda value: math.log(value) if value > 0 else math.nan,
}
OVER_TIME: dict[str, Callable[[Sequence[float]], float]] = {
    "first": lambda found: found[0],
    "previous": lambda found: found[-1],
    "usual": lambda found: statistics.fmean(found[-RECENT:]),
    "spread": lambda found: statistics.pstdev(found[-RECENT:]),
}
"""Of an expression, over all earlier looks: `first(mean)`, `usual(std)`."""
ELSEWHERE = "at"
"""`at("place", max)`: of another tensor at the same look."""
RECENT = 20
"""Looks that count as usual."""
SETTLED = 5
"""Looks before anything is usual."""
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda one, other: one / other if other else math.nan,
    ast.Mod: lambda one, other: one % other if other else math.nan,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class TooEarlyError(Exception):
    """A condition speaks of looks that were not taken yet."""


@dataclass(frozen=True)
class Look:
    """What was measured of a tensor, with what was measured of it before and of others now."""

    values: Mapping[str, float]
    earlier: Sequence[Mapping[str, float]] = ()
    """The oldest first."""
    elsewhere: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def value(node: ast.expr, look: Look) -> Any:
    """Every part is computed, so that one that cannot be understood is noticed whatever the others say."""
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return node.value
        case ast.Name(id=name):
            return look.values[name]
        case ast.BoolOp():
            parts = [bool(value(part, look)) for part in node.values]
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        case ast.UnaryOp() if type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.operand, look))
        case ast.BinOp() if type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left, look), value(node.right, look))
        case ast.Compare():
            found = [value(part, look) for part in (node.left, *node.comparators)]
            kinds = [OPERATORS[type(kind)] for kind in node.ops]
            return all(holds(found[i], found[i + 1]) for i, holds in enumerate(kinds))
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return _called(name, node.args, look)
    raise TypeError(f"`{ast.unparse(node)}`")


def _called(name: str, arguments: list[ast.expr], look: Look) -> Any:
    if name in FUNCTIONS:
        return FUNCTIONS[name](*(value(argument, look) for argument in arguments))
    match name, arguments:
        case str(), [expression] if name in OVER_TIME:
            if len(look.earlier) < (SETTLED if name in ("usual", "spread") else 1):
                raise TooEarlyError
            return OVER_TIME[name]([value(expression, Look(values)) for values in look.earlier])
        case "at", [ast.Constant(value=str(place)), expression]:
            return value(expression, Look(look.elsewhere[place]))
    raise TypeError(f"`{name}` with {len(arguments)} arguments")


def places(node: ast.expr) -> frozenset[str]:
    """Other tensors that a condition speaks of."""
    return frozenset(
        place
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == ELSEWHERE
        for place in [argument.value for argument in call.args[:1] if isinstance(argument, ast.Constant)]
        if isinstance(place, str)
    )


def over_time(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id in OVER_TIME for part in ast.walk(node))
