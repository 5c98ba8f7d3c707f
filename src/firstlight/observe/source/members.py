"""What `base.name` is: a member of a module, of an object of the program, of a tensor."""

import ast

from firstlight.observe.source import calling
from firstlight.observe.source.machine import Frame, Machine, Thing, method_of, symbol
from firstlight.observe.source.project import Module
from firstlight.observe.source.values import replace
from firstlight.records.source import UNKNOWN, Value


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
                return calling.follow(machine, method, ((base,), {}))
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
            thing.attributes[name] = _keyed(machine.evaluate(machine, inner, node), f"self.{name}")
    return thing.attributes[name]


def _keyed(value: Value, key: str) -> Value:
    return value if value.kind in ("const", "tensor") else replace(value, key=key)
