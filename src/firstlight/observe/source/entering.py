"""The frame a call begins with: every parameter bound as well as the arguments allow."""

import ast

from firstlight.observe.source.machine import Frame, Given
from firstlight.observe.source.project import Function
from firstlight.observe.source.values import constant
from firstlight.records.source import Value


def enter(function: Function, given: Given) -> Frame:
    args, keywords = given
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


def decorators(function: Function) -> list[str]:
    found = []
    for node in getattr(function.node, "decorator_list", ()):
        inner = node.func if isinstance(node, ast.Call) else node
        last = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
        if last in ("no_grad", "inference_mode"):
            found.append("no_grad")
        if last in ("evaluating", "eval_mode"):
            found.append("mode_branch")
    return found
