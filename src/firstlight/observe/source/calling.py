"""Calls: following them into the program's own functions, and knowing what others give back."""

import ast
from collections.abc import Callable
from typing import Any

from firstlight.observe.source import outside
from firstlight.observe.source.machine import (
    Frame,
    Machine,
    Thing,
    assign_attribute,
    bases,
    is_torch_module,
    method_of,
)
from firstlight.observe.source.project import Class, Function, function_of
from firstlight.observe.source.values import constant, join, join_all, looks_like_model, replace, role
from firstlight.observe.source.vocabulary import LOSS_KEY
from firstlight.records.source import UNKNOWN, Call, Value

Evaluate = Callable[[Machine, Frame, ast.expr], Value]
Given = tuple[tuple[Value, ...], dict[str, Value]]


def call(machine: Machine, frame: Frame, node: ast.Call, evaluate: Evaluate) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in frame.env:
        return Value(kind="super", items=(frame.env.get("self", UNKNOWN),), definition=frame.owner)
    callee = evaluate(machine, frame, node.func)
    args, keywords = _arguments(machine, frame, node, evaluate)
    match callee.kind:
        case "function":
            return _own(machine, frame, node, callee, (args, keywords))
        case "method":
            return _own(machine, frame, node, callee, ((callee.items[0], *args), keywords))
        case "class":
            return _construct(machine, frame, node, callee, (args, keywords))
        case "instance":
            return _apply(machine, frame, node, callee, (args, keywords))
        case "layer":
            return outside.layer_called(machine, frame, node, callee, args, keywords)
        case "symbol":
            return outside.symbol_called(machine, frame, node, callee, args, keywords)
        case "bound":
            return _bound(machine, frame, node, callee, (args, keywords))
    return _opaque(machine, frame, node, callee, (args, keywords))


def _arguments(machine: Machine, frame: Frame, node: ast.Call, evaluate: Evaluate) -> Given:
    args: list[Value] = []
    for each in node.args:
        if isinstance(each, ast.Starred):
            spread = evaluate(machine, frame, each.value)
            known = spread.kind in ("list", "tuple") and spread.closed
            args += spread.items if known else (replace(spread, flags=spread.flags | {"spread"}),)
        else:
            args.append(evaluate(machine, frame, each))
    keywords = {each.arg or "**": evaluate(machine, frame, each.value) for each in node.keywords}
    return tuple(args), keywords


def _own(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    function: Function = callee.definition
    if not machine.may_follow(function):
        machine.note(frame, Call, node, target=f"own.{callee.name}", args=given[0], keywords=given[1], opaque=True)
        return UNKNOWN
    result = follow(machine, frame, function, given[0], given[1], node)
    machine.note(frame, Call, node, target=f"own.{callee.name}", args=given[0], keywords=given[1], result=result)
    return result


def follow(
    machine: Machine,
    frame: Frame,
    function: Function,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """What a function of the program gives back; what happens in it is noted as happening here."""
    if not machine.may_follow(function):
        return UNKNOWN
    signature = None if function.followed else _signature(function, args, keywords)
    if signature is not None and signature in machine.memory:
        known: Value = machine.memory[signature]
        return known
    inner = enter(machine, function, args, keywords)
    machine.active.append(function)
    if machine.recording:
        machine.covered.add(function)
    try:
        with machine.guarded(*_decorators(function)), machine.unrecorded(not function.followed):
            result = _body(machine, inner, function)
    finally:
        machine.active.pop()
    if signature is not None:
        machine.memory[signature] = result
    return result


def _signature(function: Function, args: tuple[Value, ...], keywords: dict[str, Value]) -> Any:
    """Everything about the arguments that can change what is returned; None where that is too much to compare."""
    told: list[Any] = [id(function)]
    for name, value in (*enumerate(args), *keywords.items()):
        if value.kind in ("list", "tuple", "dict", "function", "layer"):
            return None
        definition = id(value.definition) if value.definition is not None else 0
        told.append(
            (
                name,
                value.kind,
                value.name,
                value.act,
                value.cut,
                value.flags,
                value.size,
                definition,
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


def enter(machine: Machine, function: Function, args: tuple[Value, ...], keywords: dict[str, Value]) -> Frame:
    """The frame of a call, every parameter bound as well as the arguments allow."""
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    env: dict[str, Value] = {}
    spread = any(value.has("spread") for value in args) or "**" in keywords
    for name, value in zip(names, args, strict=False):
        if value.has("spread"):
            break
        env[name] = value
    defaults = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True))
    defaults |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
    for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        if each.arg in keywords:
            env[each.arg] = keywords[each.arg]
        elif each.arg not in env:
            env[each.arg] = _default(defaults.get(each.arg), each.arg, spread)
    if spec.vararg:
        env[spec.vararg.arg] = Value(kind="tuple", items=args[len(names) :], closed=not spread)
    return Frame(function.module, env, function.name, function.owner, function.closure)


def _default(node: ast.expr | None, name: str, spread: bool) -> Value:
    if isinstance(node, ast.Constant) and not spread and node.value is not None:
        return constant(node.value)
    return Value(key=name)


def _decorators(function: Function) -> list[str]:
    found = []
    for node in getattr(function.node, "decorator_list", ()):
        inner = node.func if isinstance(node, ast.Call) else node
        last = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
        if last in ("no_grad", "inference_mode"):
            found.append("no_grad")
        if last in ("evaluating", "eval_mode"):
            found.append("mode_branch")
    return found


def closure(frame: Frame, node: Any) -> Value:
    function = function_of(node, frame.module)
    function.closure = {**(frame.outer or {}), **frame.env} if frame.outer else frame.env
    function.owner = frame.owner
    return Value(kind="function", name=function.name, definition=function)


def _construct(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    kind: Class = callee.definition
    thing = build(machine, frame, kind, given)
    value = Value(kind="instance", name=kind.name, definition=thing, made=machine.spot(frame, node), args=given[1])
    if not thing.is_module:
        value = outside.typed_by_base(value, [base for base in bases(machine, kind) if isinstance(base, str)], given[0])
    machine.note(frame, Call, node, target=f"new.{kind.name}", args=given[0], keywords=given[1], result=value)
    return value


def build(machine: Machine, frame: Frame, kind: Class, given: Given) -> Thing:
    thing = Thing(kind, is_torch_module(machine, kind))
    value = Value(kind="instance", name=kind.name, definition=thing, key="self")
    method = method_of(machine, kind, "__init__")
    if method is not None and machine.may_follow(method):
        arms, machine.arms = machine.arms, ()
        with machine.unrecorded(not method.followed):
            follow(machine, frame, method, (value, *given[0]), given[1], None)
        machine.arms = arms
    return thing


def _apply(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    """An object of the program is called: a module's `forward`, or `__call__`."""
    thing: Thing = callee.definition
    name = "forward" if thing.is_module else "__call__"
    method = method_of(machine, thing.kind, name) if thing.kind else None
    result = follow(machine, frame, method, (callee, *given[0]), given[1], node) if method else UNKNOWN
    if thing.is_module:
        result = outside.as_output(result, callee, machine.spot(frame, node) if "no_grad" in machine.guards else None)
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
        return _super(machine, frame, node, callee, receiver, given)
    if receiver.kind == "list" and callee.name in ("append", "extend", "insert"):
        return _grown(machine, frame, node, receiver, callee, given)
    if (
        role(receiver) == "optimizer"
        and callee.name == "step"
        and given[0]
        and given[0][0].kind in ("function", "method")
    ):
        follow(machine, frame, given[0][0].definition, given[0][0].items, {}, node)
    if (
        receiver.kind == "instance"
        and receiver.definition.is_module
        and callee.name
        in ("to", "cuda", "cpu", "float", "train", "eval", "half", "double", "requires_grad_", "apply", "compile")
    ):
        machine.note(
            frame, Call, node, target=f"model.{callee.name}", receiver=receiver, args=given[0], keywords=given[1]
        )
        return receiver
    if looks_like_model(callee):
        return _opaque(machine, frame, node, callee, given)
    return outside.method_called(machine, frame, node, callee, given[0], given[1])


def _super(machine: Machine, frame: Frame, node: ast.Call, callee: Value, receiver: Value, given: Given) -> Value:
    kind: Class | None = receiver.definition
    method = method_of(machine, kind, callee.name, above=True) if kind else None
    if method is None:
        return UNKNOWN
    return follow(machine, frame, method, (receiver.items[0], *given[0]), given[1], node)


def _grown(machine: Machine, frame: Frame, node: ast.Call, receiver: Value, callee: Value, given: Given) -> Value:
    """A list grows; the list's owner, where it is an attribute, is what the call is noted with."""
    target = node.func.value if isinstance(node.func, ast.Attribute) else None
    owner = UNKNOWN
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        owner = frame.env.get(target.value.id, UNKNOWN)
    noted = owner if owner.kind == "instance" else receiver
    machine.note(frame, Call, node, target=f"list.{callee.name}", receiver=noted, args=given[0], discarded=True)
    if not given[0]:
        return UNKNOWN
    new = given[0][-1]
    items = new.items if callee.name == "extend" else (new,)
    certain = (
        receiver.closed and not machine.loops and callee.name != "insert" and (callee.name == "append" or new.closed)
    )
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
        result = outside.as_output(UNKNOWN, callee, spot)
    elif LOSS_KEY.search(callee.key) and given[0]:
        result = outside.loss_of("", given[0])
    target = "model.call" if looks_like_model(callee) else f"?{callee.key}"
    machine.note(
        frame, Call, node, target=target, receiver=callee, args=given[0], keywords=given[1], result=result, opaque=True
    )
    return result


def set_attribute(machine: Machine, thing: Thing, name: str, value: Value) -> None:
    assign_attribute(machine, thing, name, value, join)


def is_loader(value: Value) -> bool:
    return role(value) == "loader"
