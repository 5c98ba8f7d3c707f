"""Statements, one after another, each branch for itself and then joined."""

import ast
from typing import Any

from firstlight.observe.source import calling
from firstlight.observe.source.binding import bind, path_of
from firstlight.observe.source.expressions import evaluate
from firstlight.observe.source.machine import Frame, Machine
from firstlight.observe.source.project import class_of, imported
from firstlight.observe.source.values import combined, element, join, replace
from firstlight.records.source import UNKNOWN, Assignment, Call, Loop, Value

Env = dict[str, Value]


def run(machine: Machine, frame: Frame, body: list[ast.stmt]) -> bool:
    """True where nothing after the last statement can be reached from it."""
    for node in body:
        machine.statements += 1
        handler = HANDLERS.get(type(node))
        if handler is not None and handler(machine, frame, node):
            return True
    return False


def _expression(machine: Machine, frame: Frame, node: ast.Expr) -> None:
    before = len(machine.steps)
    evaluate(machine, frame, node.value)
    last = machine.steps[-1] if len(machine.steps) > before else None
    if isinstance(last, Call) and last.node is node.value:
        machine.steps[-1] = replace(last, discarded=True)


def _assign(machine: Machine, frame: Frame, node: ast.Assign) -> None:
    value = evaluate(machine, frame, node.value)
    for target in node.targets:
        _assigned(machine, frame, node, target, value)


def _annotated(machine: Machine, frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is not None:
        _assigned(machine, frame, node, node.target, evaluate(machine, frame, node.value))


def _assigned(machine: Machine, frame: Frame, node: ast.stmt, target: ast.expr, value: Value) -> None:
    owner = UNKNOWN
    if isinstance(target, ast.Attribute):
        with machine.unrecorded():
            owner = evaluate(machine, frame, target.value)
    bind(machine, frame, target, value)
    machine.note(frame, Assignment, node, target=path_of(target), value=value, owner=owner)


def _augmented(machine: Machine, frame: Frame, node: ast.AugAssign) -> None:
    before = evaluate(machine, frame, node.target)
    value = evaluate(machine, frame, node.value)
    operator = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}.get(type(node.op), "?")
    if before.kind == "list" and operator == "+":
        after = Value(
            kind="list",
            items=(*before.items, *value.items),
            closed=before.closed and value.closed and not machine.loops,
        )
    elif before.kind == "const" and value.kind == "tensor":
        after = replace(value, flags=value.flags | {"running"}, act="")
    else:
        after = combined([before, value])
        if before.has("loss") and operator == "/":
            after = replace(after, flags=after.flags | {"scaled"}, name=before.name)
    bind(machine, frame, node.target, after)
    machine.note(frame, Assignment, node, target=path_of(node.target), value=value, operator=operator)


def _if(machine: Machine, frame: Frame, node: ast.If) -> bool:
    evaluate(machine, frame, node.test)
    start = dict(frame.env)
    if node not in machine.memory:
        machine.memory[node] = ("mode_branch",) if _asks_for_mode(node.test) else ()
    guard: tuple[str, ...] = machine.memory[node]
    with machine.arm(node, 0), machine.guarded(*guard):
        first_ended = run(machine, frame, node.body)
    first, frame.env = frame.env, start
    with machine.arm(node, 1):
        second_ended = run(machine, frame, node.orelse)
    if first_ended and second_ended:
        return True
    if not first_ended:
        _merge(frame, first, second_ended)
    return False


def _asks_for_mode(test: ast.expr) -> bool:
    """`if not self.training`, `if phase == "val"`."""
    words = {getattr(n, "attr", getattr(n, "id", getattr(n, "value", None))) for n in ast.walk(test)}
    return any(
        isinstance(word, str)
        and word.lower() in ("val", "valid", "validation", "test", "eval", "inference", "training")
        for word in words
    )


def _merge(frame: Frame, other: Env, other_only: bool) -> None:
    if other_only:
        frame.env = other
        return
    for name, value in other.items():
        mine = frame.env.get(name)
        if mine is None:
            frame.env[name] = value
        elif mine is not value:
            frame.env[name] = join(mine, value)


def _for(machine: Machine, frame: Frame, node: ast.For | ast.AsyncFor) -> None:
    over = evaluate(machine, frame, node.iter)
    item, source = _iterated(over)
    kind = "batches" if calling.is_loader(source) else "range" if _is_range(node.iter) else "each"
    loop = Loop(
        spot=machine.spot(frame, node), kind=kind, over=source, text=path_of(node.iter) or source.key, node=node
    )
    before = dict(frame.env)
    with machine.looping(loop):
        bind(machine, frame, node.target, item)
        ended = run(machine, frame, node.body)
    if not ended:
        _merge(frame, before, False)
    else:
        frame.env = before
    run(machine, frame, node.orelse)


def _iterated(over: Value) -> tuple[Value, Value]:
    if over.kind == "pairs":
        inner = over.items[0]
        return inner, over.items[1]
    return element(over), over


def _is_range(node: ast.expr) -> bool:
    while (
        isinstance(node, ast.Call) and node.args and getattr(node.func, "id", getattr(node.func, "attr", "")) != "range"
    ):
        node = node.args[0]
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("range", "trange")


def _while(machine: Machine, frame: Frame, node: ast.While) -> None:
    evaluate(machine, frame, node.test)
    loop = Loop(spot=machine.spot(frame, node), kind="while", over=UNKNOWN, text="", node=node)
    before = dict(frame.env)
    with machine.looping(loop):
        ended = run(machine, frame, node.body)
    if not ended:
        _merge(frame, before, False)
    run(machine, frame, node.orelse)


def _with(machine: Machine, frame: Frame, node: ast.With | ast.AsyncWith) -> bool:
    guards: list[str] = []
    for item in node.items:
        value = evaluate(machine, frame, item.context_expr)
        guards += _guards(machine, frame, item.context_expr)
        if item.optional_vars is not None:
            bind(machine, frame, item.optional_vars, value)
    with machine.guarded(*guards):
        return run(machine, frame, node.body)


def _guards(machine: Machine, frame: Frame, node: ast.expr) -> list[str]:
    call = node if isinstance(node, ast.Call) else None
    inner = call.func if call else node
    last = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
    if last in ("no_grad", "inference_mode"):
        return ["no_grad"]
    if last == "set_grad_enabled":
        off = call is not None and call.args and getattr(call.args[0], "value", None) is False
        return ["no_grad"] if off else ["maybe_grad"]
    if last == "autocast":
        return ["autocast", f"autocast:{_dtype(call, path_of(inner))}"]
    if last in ("accumulate", "no_sync", "join"):
        return [last]
    return []


def _dtype(call: ast.Call | None, path: str) -> str:
    """The precision of a `with autocast(…)`; empty where the text does not say."""
    given = {each.arg: each.value for each in call.keywords} if call else {}
    if "dtype" in given or "enabled" in given or None in given:
        return getattr(given.get("dtype"), "attr", "") if "enabled" not in given else ""
    device = call.args[0] if call and call.args else given.get("device_type")
    on_cuda = "cuda" in path if device is None else getattr(device, "value", None) == "cuda"
    return "float16" if on_cuda else ""


def _try(machine: Machine, frame: Frame, node: ast.Try) -> bool:
    with machine.guarded("try"):
        ended = run(machine, frame, node.body)
    for index, handler in enumerate(node.handlers):
        before = dict(frame.env)
        with machine.arm(node, index + 1):
            run(machine, frame, handler.body)
        frame.env = before
    if not ended:
        ended = run(machine, frame, node.orelse)
    return run(machine, frame, node.finalbody) or (ended and not node.handlers)


def _match(machine: Machine, frame: Frame, node: ast.Match) -> None:
    evaluate(machine, frame, node.subject)
    start, merged = dict(frame.env), dict(frame.env)
    for index, case in enumerate(node.cases):
        frame.env = dict(start)
        with machine.arm(node, index):
            ended = run(machine, frame, case.body)
        if not ended:
            after, frame.env = frame.env, merged
            _merge(frame, after, False)
            merged = frame.env
    frame.env = merged


def _return(machine: Machine, frame: Frame, node: ast.Return) -> bool:
    frame.returns.append(evaluate(machine, frame, node.value) if node.value is not None else Value(kind="const"))
    return True


def _leave(machine: Machine, frame: Frame, node: ast.stmt) -> bool:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            evaluate(machine, frame, child)
    return True


def _function(_machine: Machine, frame: Frame, node: Any) -> None:
    known = frame.module.functions.get(node.name)
    if known is None or known.node is not node:
        frame.env[node.name] = calling.closure(frame, node)


def _class(_machine: Machine, frame: Frame, node: ast.ClassDef) -> None:
    known = frame.module.classes.get(node.name)
    if known is None or known.node is not node:
        frame.env[node.name] = Value(kind="class", name=node.name, definition=class_of(node, frame.module))


def _import(_machine: Machine, frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
    for name in imported(node):
        frame.env.pop(name, None)


def _assert(machine: Machine, frame: Frame, node: ast.Assert) -> None:
    evaluate(machine, frame, node.test)


HANDLERS: dict[type, Any] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Return: _return,
    ast.Raise: _leave,
    ast.Continue: _leave,
    ast.Break: _leave,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Assert: _assert,
}
