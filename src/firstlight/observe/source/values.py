"""Values: how they are made, joined and combined."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from firstlight.observe.source import vocabulary
from firstlight.records.source import UNKNOWN, Value

replace = msgspec.structs.replace

ROLES = (
    ("scheduler", vocabulary.SCHEDULER_KEY),
    ("optimizer", vocabulary.OPTIMIZER_KEY),
    ("scaler", vocabulary.SCALER_KEY),
    ("loader", vocabulary.LOADER_KEY),
)


def constant(thing: Any) -> Value:
    return Value(kind="const", const=thing)


def named(value: Value, key: str) -> Value:
    """An unknown value is known by the first name it is given."""
    return value if value.key or value.kind in ("const", "tensor") else replace(value, key=key)


def role(value: Value) -> str:
    """What a value is, or by its name seems to be, in a training loop; empty where neither says."""
    if value.kind in ("optimizer", "scheduler", "scaler", "loader"):
        return value.kind
    if value.kind not in ("unknown", "bound", "instance") or not value.key:
        return ""
    if value.kind == "instance" and getattr(value.definition, "is_module", False):
        return ""
    return next((name for name, pattern in ROLES if pattern.search(value.key)), "")


def looks_like_model(value: Value) -> bool:
    return value.kind in ("unknown", "bound") and bool(vocabulary.MODEL_KEY.search(value.key))


def join(one: Value, other: Value) -> Value:
    """What is certain whichever of the two it is."""
    if one is other or one == other:
        return one
    if one.is_none:
        return other
    if other.is_none:
        return one
    key = one.key if one.key == other.key else ""
    if one.kind != other.kind:
        running = next((value for value in (one, other) if value.has("running")), None)
        if running is not None and "const" in (one.kind, other.kind):
            return running
        return replace(UNKNOWN, key=key)
    match one.kind:
        case "tensor":
            return _joined_tensors(one, other, key)
        case "list" | "tuple":
            return _joined_lists(one, other)
        case "optimizer" | "scheduler" | "loader" | "scaler" | "layer" if one.name == other.name:
            return replace(one, args={}, items=(), closed=False, key=key)
        case "optimizer" | "scheduler" | "loader" | "scaler":
            return Value(kind=one.kind, key=key)
        case _:
            return replace(UNKNOWN, key=key)


def _joined_tensors(one: Value, other: Value, key: str) -> Value:
    same_act = one.act == other.act
    cut = one.cut if one.cut and other.cut else ""
    return Value(
        kind="tensor",
        key=key,
        name=one.name if one.name == other.name else "",
        act=one.act if same_act else "",
        act_at=one.act_at if same_act else None,
        cut=cut,
        cut_at=one.cut_at if cut else None,
        flags=one.flags & other.flags,
        size=one.size if one.size == other.size else None,
    )


def _joined_lists(one: Value, other: Value) -> Value:
    if len(one.items) == len(other.items) and one.closed and other.closed:
        return Value(kind=one.kind, items=tuple(join(a, b) for a, b in zip(one.items, other.items, strict=True)))
    return Value(
        kind=one.kind, items=(*one.items, *(item for item in other.items if item not in one.items)), closed=False
    )


def join_all(values: Iterable[Value]) -> Value:
    found: Value | None = None
    for value in values:
        found = value if found is None else join(found, value)
    return UNKNOWN if found is None else found


def combined(values: Sequence[Value]) -> Value:
    """The tensor that arithmetic on these gives: cut from the model only if all that could be connected is."""
    tensors = [value for value in values if value.kind == "tensor"]
    if not tensors:
        return UNKNOWN
    cut, at = _common_cut(values)
    flags: set[str] = set()
    for value in tensors:  # what is cut and meets something unknown may be a mere number by then
        flags |= value.flags & {"output", "loss"} if cut or not value.cut else set()
    if all(value.has("data") or value.kind == "const" for value in values):
        flags.add("data")
    return Value(kind="tensor", flags=frozenset(flags), cut=cut, cut_at=at)


def _common_cut(values: Sequence[Value]) -> tuple[str, Any]:
    """A tensor that is not cut, or anything unknown, may carry a gradient."""
    cuts = [value for value in values if value.cut]
    harmless = all(value.cut or value.kind == "const" or value.has("data") for value in values)
    return (cuts[0].cut, cuts[0].cut_at) if cuts and harmless else ("", None)


def short(name: str) -> str:
    return name.rpartition(".")[2]


def element(value: Value) -> Value:
    """What iterating over it gives."""
    match value.kind:
        case "list" | "tuple":
            return join_all(value.items) if value.items else UNKNOWN
        case "loader":
            return Value(kind="tensor", flags=frozenset({"data", "batch"}))
        case "tensor":
            return replace(value, act="", size=None, key="")
        case _:
            data = vocabulary.LOADER_KEY.search(value.key) is not None
            return Value(kind="tensor", flags=frozenset({"data", "batch"})) if data else UNKNOWN
