"""What the user says must hold of a tensor inside the model or of a metric, looked at on real batches.

An invariant is written as a comparison over what is there: `64 <= min and max <= 400`, `std > 0.01 * abs(mean)`,
`finite`, `close(row_sum_high, 1, 0.01)`. Only names, numbers, arithmetic, comparisons and a few functions are
understood; nothing of it is executed as Python.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from firstlight.errors import UsageError

NAMES = ("min", "max", "mean", "std", "sum", "numel", "finite", "unique", "entropy", "row_sum_low", "row_sum_high")
"""What can be said of a tensor, besides the sizes of its axes: `rows`, `last` and `batch`."""
SIZES = ("rows", "last", "batch", "value", "step")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "close": lambda one, other, tolerance=1e-6: abs(one - other) <= tolerance,
    "sqrt": lambda value: math.sqrt(value) if value >= 0 else math.nan,
    "log": lambda value: math.log(value) if value > 0 else math.nan,
}
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
MOST_CHARACTERS = 500


@dataclass(frozen=True, kw_only=True)
class Invariant:
    """`Invariant(name="token_budget", on="attend", check="64 <= min and max <= 400")`."""

    name: str
    on: str
    """A module by its path (its output), with a key or index where that is a tree: `know[participatory]`; `output`,
    `loss`, `target`, `input`, or a parameter's name."""
    check: str
    severity: Literal["error", "warning", "note"] = "error"

    def __post_init__(self) -> None:
        if self.severity not in ("error", "warning", "note"):
            raise UsageError(
                f"Invariant {self.name}: `severity` is {self.severity!r}; it takes error, warning or note."
            )
        _understood(self)

    @classmethod
    def of(cls, given: Any) -> "Invariant":
        """From the mapping form."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise UsageError(f"an invariant is a {type(given).__name__}; it takes firstlight.Invariant or a mapping.")
        unknown = set(given) - {"name", "on", "check", "severity"}
        missing = {"name", "on", "check"} - set(given)
        if unknown or missing:
            wrong = f"has {', '.join(sorted(unknown))}" if unknown else f"lacks {', '.join(sorted(missing))}"
            raise UsageError(f"an invariant {wrong}; it takes name, on, check and severity.")
        return cls(**given)

    def holds(self, values: Mapping[str, float]) -> bool:
        return bool(_value(ast.parse(self.check, mode="eval").body, values))


def _understood(invariant: Invariant) -> None:
    told = f"Invariant {invariant.name}: `check` is {invariant.check!r}"
    if len(invariant.check) > MOST_CHARACTERS:
        raise UsageError(f"{told[:100]}…: longer than {MOST_CHARACTERS} characters.")
    try:
        tree = ast.parse(invariant.check, mode="eval")
        _value(tree.body, dict.fromkeys((*NAMES, *SIZES), 1.0))
    except SyntaxError:
        raise UsageError(f"{told}, which is no comparison such as `0 <= min and max <= 1`.") from None
    except (KeyError, TypeError) as error:
        names = ", ".join((*NAMES, *SIZES, *FUNCTIONS))
        raise UsageError(f"{told}; {error.args[0]} is not understood. It takes {names}.") from None


def _value(node: ast.expr, values: Mapping[str, float]) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return node.value
        case ast.Name(id=name):
            return values[name]
        case ast.BoolOp(op=ast.And()):
            return all(_value(part, values) for part in node.values)
        case ast.BoolOp(op=ast.Or()):
            return any(_value(part, values) for part in node.values)
        case ast.UnaryOp() if type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](_value(node.operand, values))
        case ast.BinOp() if type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](_value(node.left, values), _value(node.right, values))
        case ast.Compare():
            return _compared(node, values)
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(argument, values) for argument in node.args))
    raise TypeError(f"`{ast.unparse(node)}`")


def _compared(node: ast.Compare, values: Mapping[str, float]) -> bool:
    left = _value(node.left, values)
    for kind, right in zip(node.ops, node.comparators, strict=True):
        other = _value(right, values)
        if not OPERATORS[type(kind)](left, other):
            return False
        left = other
    return True
