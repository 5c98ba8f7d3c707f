"""What an expression holds. Every call inside it is followed on the way."""

import ast
from typing import Any

from firstlight.observe.source import calling
from firstlight.observe.source.binding import bind, path_of
from firstlight.observe.source.machine import Frame, Machine, lookup
from firstlight.observe.source.members import member
from firstlight.observe.source.values import combined, constant, element, join, replace
from firstlight.records.source import UNKNOWN, Loop, Value

COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<="}


def evaluate(machine: Machine, frame: Frame, node: ast.expr) -> Value:
    value: Value = HANDLERS.get(type(node), _other)(machine, frame, node)
    return value


def _other(machine: Machine, frame: Frame, node: ast.expr) -> Value:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            evaluate(machine, frame, child)
    return UNKNOWN


def _constant(_machine: Machine, _frame: Frame, node: ast.Constant) -> Value:
    return constant(node.value)


def _name(machine: Machine, frame: Frame, node: ast.Name) -> Value:
    value = lookup(machine, frame, node.id)
    return Value(kind="unknown", key=node.id) if value is UNKNOWN else value


def _attribute(machine: Machine, frame: Frame, node: ast.Attribute) -> Value:
    path = path_of(node)
    if path and path in frame.env:
        return frame.env[path]
    base = evaluate(machine, frame, node.value)
    return member(machine, frame, base, node, path)


def _binary(machine: Machine, frame: Frame, node: ast.BinOp) -> Value:
    left, right = evaluate(machine, frame, node.left), evaluate(machine, frame, node.right)
    if left.kind == "list" and isinstance(node.op, ast.Mult):
        return replace(left, closed=False, flags=left.flags | {"repeated"})
    if left.kind == right.kind == "list" and isinstance(node.op, ast.Add):
        return Value(kind="list", items=(*left.items, *right.items), closed=left.closed and right.closed)
    if left.kind == right.kind == "const":
        return Value(kind="const", const=_folded(node.op, left.const, right.const))
    result = combined([left, right])
    if isinstance(node.op, ast.Add) and result.kind == "tensor":
        other = right if left.kind == "tensor" else left
        tensor = left if left.kind == "tensor" else right
        if other.kind == "const" or _is_epsilon(other):
            return replace(result, act=tensor.act, act_at=tensor.act_at, flags=result.flags | {"floored"})
    if isinstance(node.op, ast.Div | ast.Mult) and left.has("loss"):
        return replace(result, flags=result.flags | {"scaled"}, name=left.name)
    return result


def _is_epsilon(value: Value) -> bool:
    return "eps" in value.key.lower() or value.key.lower().endswith(("tiny", "smooth"))


def _folded(operator: ast.operator, left: Any, right: Any) -> Any:
    """Arithmetic on small numbers only: nobody wants `10 ** 10 ** 10` from a linter."""
    small = all(
        isinstance(side, int | float) and not isinstance(side, bool) and abs(side) < 1e9 for side in (left, right)
    )
    if not small:
        return ...
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if right:
            return left / right
        case ast.FloorDiv() if right:
            return left // right
    return ...


def _unary(machine: Machine, frame: Frame, node: ast.UnaryOp) -> Value:
    value = evaluate(machine, frame, node.operand)
    if value.kind == "const" and isinstance(node.op, ast.USub) and isinstance(value.const, int | float):
        return constant(-value.const)
    if value.kind == "tensor":
        return replace(
            combined([value]), flags=value.flags | {"negated"} if isinstance(node.op, ast.USub) else value.flags
        )
    return UNKNOWN


def _compare(machine: Machine, frame: Frame, node: ast.Compare) -> Value:
    values = [evaluate(machine, frame, each) for each in (node.left, *node.comparators)]
    sign = COMPARISONS.get(type(node.ops[0]))
    known = combined(values)
    if sign is None or known.kind != "tensor" or not (known.has("output") or any(v.cut for v in values)):
        return UNKNOWN
    return Value(kind="tensor", cut=sign, cut_at=machine.spot(frame, node), flags=known.flags)


def _call(machine: Machine, frame: Frame, node: ast.Call) -> Value:
    return calling.call(machine, frame, node)


def _sequence(machine: Machine, frame: Frame, node: ast.List | ast.Tuple) -> Value:
    items: list[Value] = []
    closed = True
    for each in node.elts:
        value = evaluate(machine, frame, each.value if isinstance(each, ast.Starred) else each)
        if isinstance(each, ast.Starred):
            items += value.items
            closed = closed and value.kind in ("list", "tuple") and value.closed
        else:
            items.append(value)
    kind = "list" if isinstance(node, ast.List) else "tuple"
    return Value(kind=kind, items=tuple(items), closed=closed, made=machine.spot(frame, node))


def _dict(machine: Machine, frame: Frame, node: ast.Dict) -> Value:
    items = tuple(evaluate(machine, frame, value) for value in node.values)
    names = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
    args = {name: item for name, item in zip(names, items, strict=True) if isinstance(name, str)}
    return Value(kind="dict", items=items, args=args, made=machine.spot(frame, node))


def _subscript(machine: Machine, frame: Frame, node: ast.Subscript) -> Value:
    path = path_of(node)
    if path and path in frame.env:
        return frame.env[path]
    base = evaluate(machine, frame, node.value)
    index = evaluate(machine, frame, node.slice)
    if base.kind == "dict" and isinstance(index.const, str):
        return base.args.get(index.const, UNKNOWN)
    if (
        base.kind in ("list", "tuple")
        and base.closed
        and isinstance(index.const, int)
        and -len(base.items) <= index.const < len(base.items)
    ):
        return base.items[index.const]
    if base.kind in ("list", "tuple"):
        return element(base)
    if base.kind == "tensor":
        return replace(base, size=None, flags=base.flags | {"row"})
    if base.kind in ("unknown", "bound") and base.key:
        return Value(key=path or f"{base.key}[]")
    return UNKNOWN


def _choice(machine: Machine, frame: Frame, node: ast.IfExp) -> Value:
    evaluate(machine, frame, node.test)
    with machine.arm(node, 0):
        first = evaluate(machine, frame, node.body)
    with machine.arm(node, 1):
        second = evaluate(machine, frame, node.orelse)
    return join(first, second)


def _either(machine: Machine, frame: Frame, node: ast.BoolOp) -> Value:
    found = [evaluate(machine, frame, value) for value in node.values]
    return join(found[0], found[-1]) if isinstance(node.op, ast.Or) else UNKNOWN


def _comprehension(machine: Machine, frame: Frame, node: Any) -> Value:
    before = dict(frame.env)
    each = node.generators[0]
    over = evaluate(machine, frame, each.iter)
    for generator in node.generators:
        bind(
            machine,
            frame,
            generator.target,
            element(evaluate(machine, frame, generator.iter) if generator is not each else over),
        )
    kind = "batches" if calling.is_loader(over) else "each"
    loop = Loop(spot=machine.spot(frame, node), kind=kind, over=over, text=path_of(each.iter), node=node)
    with machine.looping(loop):
        if isinstance(node, ast.DictComp):
            evaluate(machine, frame, node.key)
            item = evaluate(machine, frame, node.value)
        else:
            item = evaluate(machine, frame, node.elt)
    frame.env.clear()
    frame.env.update(before)
    return Value(
        kind="dict" if isinstance(node, ast.DictComp) else "list",
        items=(item,),
        closed=False,
        made=machine.spot(frame, node),
    )


def _lambda(_machine: Machine, frame: Frame, node: ast.Lambda) -> Value:
    return calling.closure(frame, node)


def _walrus(machine: Machine, frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(machine, frame, node.value)
    bind(machine, frame, node.target, value)
    return value


def _await(machine: Machine, frame: Frame, node: Any) -> Value:
    return evaluate(machine, frame, node.value) if node.value is not None else UNKNOWN


HANDLERS: dict[type, Any] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.Call: _call,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _other,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.IfExp: _choice,
    ast.BoolOp: _either,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.YieldFrom: _await,
    ast.Starred: _await,
}
