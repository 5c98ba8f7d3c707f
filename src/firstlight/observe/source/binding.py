"""Putting values behind names, attributes and patterns."""

import ast

from firstlight.observe.source.machine import Frame, Machine, assign_attribute
from firstlight.observe.source.values import element, replace
from firstlight.records.source import UNKNOWN, Value


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


def bind(machine: Machine, frame: Frame, target: ast.expr, value: Value) -> None:
    """Puts a value behind a name, an attribute, or the names of a pattern."""
    match target:
        case ast.Name(id=name):
            frame.env[name] = _named(value, name)
        case ast.Attribute():
            _bind_attribute(machine, frame, target, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            _bind_each(machine, frame, targets, value)
        case ast.Starred(value=inner):
            bind(machine, frame, inner, UNKNOWN)
        case ast.Subscript():
            path = path_of(target)
            machine.evaluate(machine, frame, target.slice)
            holder = machine.evaluate(machine, frame, target.value)
            if path and holder.kind != "tensor":
                frame.env[path] = _named(value, path)


def _bind_attribute(machine: Machine, frame: Frame, target: ast.Attribute, value: Value) -> None:
    base = machine.evaluate(machine, frame, target.value)
    path = path_of(target)
    if base.kind == "instance":
        assign_attribute(machine, base.definition, target.attr, _named(value, path))
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
