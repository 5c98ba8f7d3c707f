"""What an expression holds. Every call inside it is followed on the way."""

import ast
from typing import Any

from firstlight.observe.source import calling
from firstlight.observe.source.machine import Frame, Machine, Thing, lookup, method_of, symbol
from firstlight.observe.source.project import Module
from firstlight.observe.source.values import combined, constant, element, join, replace
from firstlight.records.source import UNKNOWN, Loop, Value

COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<="}


def evaluate(machine: Machine, frame: Frame, node: ast.expr) -> Value:
    handler = HANDLERS.get(type(node), _other)
    return handler(machine, frame, node)


def path_of(node: ast.AST) -> str:
    """`self.optimizer` as written; empty where it is no plain chain of names."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            base = path_of(value)
            return f"{base}.{attr}" if base else ""
        case ast.Subscript(value=value, slice=ast.Constant(value=index)):
            base = path_of(value)
            return f"{base}[{index!r}]" if base else ""
    return ""


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


def member(machine: Machine, frame: Frame, base: Value, node: ast.Attribute, path: str) -> Value:
    name = node.attr
    match base.kind:
        case "symbol":
            return symbol(machine, frame.module, f"{base.name}.{name}")
        case "module":
            return _of_module(machine, base.definition, name)
        case "instance":
            return _of_thing(machine, frame, base, name, path)
        case "tensor" if name == "data":
            return replace(base, cut=".data", cut_at=machine.spot(frame, node)) if base.has("output") else base
        case "tensor" if name in ("T", "mT", "logits", "values"):
            return replace(base, size=None)
        case "tensor" if name in ("indices", "grad", "shape", "device", "dtype", "ndim"):
            return UNKNOWN
        case _:
            return Value(kind="bound", name=name, items=(base,), key=path)


def _of_module(machine: Machine, module: Module, name: str) -> Value:
    if name in module.functions:
        return Value(kind="function", name=name, definition=module.functions[name])
    if name in module.classes:
        return Value(kind="class", name=name, definition=module.classes[name])
    return symbol(machine, module, module.names[name]) if name in module.names else UNKNOWN


def _of_thing(machine: Machine, frame: Frame, base: Value, name: str, path: str) -> Value:
    thing: Thing = base.definition
    if name in thing.attributes:
        return thing.attributes[name]
    if thing.kind is not None:
        method = method_of(machine, thing.kind, name)
        if method is not None:
            if any(
                isinstance(each, ast.Name) and each.id == "property"
                for each in getattr(method.node, "decorator_list", ())
            ):
                return calling.follow(machine, frame, method, (base,), {}, None)
            return Value(kind="method", name=name, items=(base,), definition=method, key=path)
        found = _assigned_elsewhere(machine, thing, base, name)
        if found is not None:
            return found
    return Value(kind="bound", name=name, items=(base,), key=path)


def _assigned_elsewhere(machine: Machine, thing: Thing, base: Value, name: str) -> Value | None:
    """An attribute that some other method assigns, exactly once."""
    assert thing.kind is not None
    found = thing.kind.assigned.get(name, [])
    if not found:
        return None
    thing.attributes[name] = Value(key=f"self.{name}")
    if len(found) == 1 and len(machine.active) < 3:
        method, node = found[0]
        inner = Frame(method.module, {"self": base}, method.name, method.owner)
        with machine.unrecorded():
            thing.attributes[name] = _keyed(evaluate(machine, inner, node), f"self.{name}")
    return thing.attributes[name]


def _keyed(value: Value, key: str) -> Value:
    return value if value.kind in ("const", "tensor") else replace(value, key=key)


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
    return calling.call(machine, frame, node, evaluate)


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


def bind(machine: Machine, frame: Frame, target: ast.expr, value: Value) -> None:
    """Puts a value behind a name, an attribute, or the names of a pattern."""
    match target:
        case ast.Name(id=name):
            frame.env[name] = _named(value, name)
        case ast.Attribute(value=base, attr=attr):
            _bind_attribute(machine, frame, target, evaluate(machine, frame, base), attr, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            _bind_each(machine, frame, targets, value)
        case ast.Starred(value=inner):
            bind(machine, frame, inner, UNKNOWN)
        case ast.Subscript():
            path = path_of(target)
            evaluate(machine, frame, target.slice)
            base = evaluate(machine, frame, target.value)
            if path and base.kind != "tensor":
                frame.env[path] = _named(value, path)


def _bind_attribute(
    machine: Machine, frame: Frame, target: ast.Attribute, base: Value, attr: str, value: Value
) -> None:
    path = path_of(target)
    if base.kind == "instance":
        thing: Thing = base.definition
        calling.set_attribute(machine, thing, attr, _named(value, path))
    elif path:
        frame.env[path] = _named(value, path)


def _bind_each(machine: Machine, frame: Frame, targets: list[ast.expr], value: Value) -> None:
    known = value.kind in ("tuple", "list") and value.closed and len(value.items) == len(targets)
    for index, target in enumerate(targets):
        bind(machine, frame, target, value.items[index] if known else element(value))


def _named(value: Value, name: str) -> Value:
    if value.kind in ("const", "tensor", "symbol", "class", "function", "module", "list", "tuple", "dict"):
        return value
    if value.kind in ("unknown", "bound", "method"):
        return Value(key=name) if not value.key else value
    return value if value.key else replace(value, key=name)


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
