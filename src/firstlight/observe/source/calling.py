"""Calls: following them into the program's own functions, and knowing what others give back."""

import ast
from typing import Any

from firstlight.observe.source import outside
from firstlight.observe.source.entering import decorators, enter
from firstlight.observe.source.layers import as_output, layer_called, loss_of
from firstlight.observe.source.machine import Frame, Given, Machine, Thing, bases, is_torch_module, method_of
from firstlight.observe.source.project import Class, Function, function_of
from firstlight.observe.source.values import constant, join_all, looks_like_model, replace, role
from firstlight.observe.source.vocabulary import LOSS_KEY
from firstlight.records.source import UNKNOWN, Call, Value


def call(machine: Machine, frame: Frame, node: ast.Call) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in frame.env:
        return Value(kind="super", items=(frame.env.get("self", UNKNOWN),), definition=frame.owner)
    callee = machine.evaluate(machine, frame, node.func)
    given = _arguments(machine, frame, node)
    match callee.kind:
        case "function":
            return _own(machine, frame, node, callee, given)
        case "method":
            return _own(machine, frame, node, callee, ((callee.items[0], *given[0]), given[1]))
        case "class":
            return _construct(machine, frame, node, callee, given)
        case "instance":
            return _apply(machine, frame, node, callee, given)
        case "layer":
            return layer_called(machine, frame, node, callee, given)
        case "symbol":
            return outside.symbol_called(machine, frame, node, callee, given)
        case "bound":
            return _bound(machine, frame, node, callee, given)
    return _opaque(machine, frame, node, callee, given)


def _arguments(machine: Machine, frame: Frame, node: ast.Call) -> Given:
    args: list[Value] = []
    for each in node.args:
        if isinstance(each, ast.Starred):
            spread = machine.evaluate(machine, frame, each.value)
            known = spread.kind in ("list", "tuple") and spread.closed
            args += spread.items if known else (replace(spread, flags=spread.flags | {"spread"}),)
        else:
            args.append(machine.evaluate(machine, frame, each))
    keywords = {each.arg or "**": machine.evaluate(machine, frame, each.value) for each in node.keywords}
    return tuple(args), keywords


def _own(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    function: Function = callee.definition
    if not machine.may_follow(function):
        machine.note(frame, Call, node, target=f"own.{callee.name}", args=given[0], keywords=given[1], opaque=True)
        return UNKNOWN
    result = follow(machine, function, given)
    machine.note(frame, Call, node, target=f"own.{callee.name}", args=given[0], keywords=given[1], result=result)
    return result


def follow(machine: Machine, function: Function, given: Given) -> Value:
    """What a function of the program gives back; what happens in it is noted as happening here."""
    if not machine.may_follow(function):
        return UNKNOWN
    signature = None if function.followed else _signature(function, given, "no_grad" in machine.guards)
    if signature is not None and signature in machine.memory:
        known: Value = machine.memory[signature]
        return known
    inner = enter(function, given)
    machine.active.append(function)
    if machine.recording and function.followed:
        machine.covered.add(function)
    try:
        with machine.guarded(*decorators(function)), machine.unrecorded(not function.followed):
            result = _body(machine, inner, function)
    finally:
        machine.active.pop()
    if signature is not None:
        machine.memory[signature] = result
    return result


def _signature(function: Function, given: Given, without_grad: bool) -> Any:
    """Everything about the arguments that can change what is returned; None where that is too much to compare."""
    told: list[Any] = [function, without_grad]
    for name, value in (*enumerate(given[0]), *given[1].items()):
        if value.kind in ("list", "tuple", "dict", "function", "layer"):
            return None
        told.append(
            (
                name,
                value.kind,
                value.name,
                value.act,
                value.cut,
                value.flags,
                value.size,
                value.definition,
                repr(value.const)[:40],
            )
        )
    return tuple(told)


def _body(machine: Machine, frame: Frame, function: Function) -> Value:
    node = function.node
    if isinstance(node, ast.Lambda):
        machine.run(machine, frame, [ast.copy_location(ast.Return(node.body), node.body)])
    else:
        ended = machine.run(machine, frame, node.body)
        if not ended and frame.returns:
            return join_all([*frame.returns])
    return join_all(frame.returns) if frame.returns else constant(None)


def closure(frame: Frame, node: Any) -> Value:
    function = function_of(node, frame.module)
    function.closure = {**(frame.outer or {}), **frame.env} if frame.outer else frame.env
    function.owner = frame.owner
    return Value(kind="function", name=function.name, definition=function)


def _construct(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    kind: Class = callee.definition
    thing = build(machine, kind, given)
    value = Value(kind="instance", name=kind.name, definition=thing, made=machine.spot(frame, node), args=given[1])
    if not thing.is_module:
        value = outside.typed_by_base(value, [base for base in bases(machine, kind) if isinstance(base, str)], given[0])
    machine.note(frame, Call, node, target=f"new.{kind.name}", args=given[0], keywords=given[1], result=value)
    return value


def build(machine: Machine, kind: Class, given: Given) -> Thing:
    thing = Thing(kind, is_torch_module(machine, kind))
    value = Value(kind="instance", name=kind.name, definition=thing, key="self")
    method = method_of(machine, kind, "__init__")
    if method is not None and machine.may_follow(method):
        arms, machine.arms = machine.arms, ()
        with machine.unrecorded(not method.followed):
            follow(machine, method, ((value, *given[0]), given[1]))
        machine.arms = arms
    return thing


def _apply(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    """An object of the program is called: a module's `forward`, or `__call__`."""
    thing: Thing = callee.definition
    name = "forward" if thing.is_module else "__call__"
    method = method_of(machine, thing.kind, name) if thing.kind else None
    result = follow(machine, method, ((callee, *given[0]), given[1])) if method else UNKNOWN
    if thing.is_module:
        result = as_output(result, callee, machine.spot(frame, node) if "no_grad" in machine.guards else None)
    machine.note(
        frame,
        Call,
        node,
        target=f"call.{callee.name}",
        receiver=callee,
        args=given[0],
        keywords=given[1],
        result=result,
    )
    return result


def _bound(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    receiver = callee.items[0] if callee.items else UNKNOWN
    if receiver.kind == "super":
        return _super(machine, callee, receiver, given)
    if receiver.kind == "list" and callee.name in ("append", "extend", "insert"):
        return _grown(machine, frame, node, receiver, given[0])
    if (
        role(receiver) == "optimizer"
        and callee.name == "step"
        and given[0]
        and given[0][0].kind in ("function", "method")
    ):
        follow(machine, given[0][0].definition, (given[0][0].items, {}))
    if receiver.kind == "instance" and receiver.definition.is_module and callee.name in outside.RETURNING_SELF:
        machine.note(
            frame, Call, node, target=f"model.{callee.name}", receiver=receiver, args=given[0], keywords=given[1]
        )
        return receiver
    if looks_like_model(callee):
        return _opaque(machine, frame, node, callee, given)
    return outside.method_called(machine, frame, node, callee, given)


def _super(machine: Machine, callee: Value, receiver: Value, given: Given) -> Value:
    kind: Class | None = receiver.definition
    method = method_of(machine, kind, callee.name, above=True) if kind else None
    if method is None:
        return UNKNOWN
    return follow(machine, method, ((receiver.items[0], *given[0]), given[1]))


def _grown(machine: Machine, frame: Frame, node: ast.Call, receiver: Value, args: tuple[Value, ...]) -> Value:
    """A list grows; the list's owner, where it is an attribute, is what the call is noted with."""
    name, target = (node.func.attr, node.func.value) if isinstance(node.func, ast.Attribute) else ("", None)
    owner = UNKNOWN
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        owner = frame.env.get(target.value.id, UNKNOWN)
    noted = owner if owner.kind == "instance" else receiver
    machine.note(frame, Call, node, target=f"list.{name}", receiver=noted, args=args, discarded=True)
    if not args:
        return UNKNOWN
    new = args[-1]
    items = new.items if name == "extend" else (new,)
    certain = receiver.closed and not machine.loops and name != "insert" and (name == "append" or new.closed)
    grown = replace(receiver, items=(*receiver.items, *items), closed=certain)
    if isinstance(target, ast.Name):
        frame.env[target.id] = grown
    elif owner.kind == "instance" and isinstance(target, ast.Attribute):
        owner.definition.attributes[target.attr] = grown
    return UNKNOWN


def _opaque(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    """Something unknown is called. Its name may still say what comes out."""
    result = UNKNOWN
    if looks_like_model(callee):
        spot = machine.spot(frame, node) if "no_grad" in machine.guards else None
        result = as_output(UNKNOWN, callee, spot)
    elif LOSS_KEY.search(callee.key) and given[0]:
        result = loss_of("", given[0])
    target = "model.call" if looks_like_model(callee) else f"?{callee.key}"
    machine.note(
        frame, Call, node, target=target, receiver=callee, args=given[0], keywords=given[1], result=result, opaque=True
    )
    return result


def is_loader(value: Value) -> bool:
    return role(value) == "loader"
