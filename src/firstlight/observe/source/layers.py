"""What the layers of torch, and the losses among them, make of a tensor."""

import ast

from firstlight.observe.source import vocabulary as words
from firstlight.observe.source.machine import Frame, Given, Machine
from firstlight.observe.source.values import combined, replace, short
from firstlight.records.source import UNKNOWN, Call, Spot, Value


def loss_of(name: str, args: tuple[Value, ...]) -> Value:
    given = combined([value for value in args if value.kind != "const"][:2])
    flags = (given.flags | {"loss"}) - {"data"}
    return Value(kind="tensor", name=name, flags=flags, cut=given.cut, cut_at=given.cut_at)


def activated(value: Value, act: str, spot: Spot, dim: Value | None = None) -> Value:
    return Value(
        kind="tensor",
        act=act,
        act_at=spot,
        flags=value.flags & {"output", "data", "row"},
        size=value.size,
        cut=value.cut,
        cut_at=value.cut_at,
        args={} if dim is None else {"dim": dim},
    )


def layer_called(machine: Machine, frame: Frame, node: ast.Call, layer: Value, given: Given) -> Value:
    args, keywords = given
    spot = machine.spot(frame, node)
    last = short(layer.name)
    if last in words.LOSSES:
        name = words.LOSSES[last]
        result = loss_of(name, args or tuple(keywords.values()))
        target = words.FUNCTIONAL + name
        machine.note(frame, Call, node, target=target, receiver=layer, args=args, keywords=keywords, result=result)
        return result
    result = applied(layer, args[0] if args else UNKNOWN, spot)
    if "no_grad" in machine.guards:
        result = as_output(result, layer, spot)
    machine.note(frame, Call, node, target=f"layer.{last}", receiver=layer, args=args, keywords=keywords, result=result)
    return result


def applied(layer: Value, given: Value, spot: Spot) -> Value:
    """What a layer of torch makes of a tensor. Where an activation is built into the layer, that is where it stands."""
    last = short(layer.name)
    flags = (given.flags & {"data"}) - {"data"} | {"output"}
    if layer.name == "torch.nn.Sequential":
        return _chained(layer, given, spot)
    if last in words.ACTIVATION_LAYERS:
        return replace(
            activated(given, words.ACTIVATION_LAYERS[last], layer.made or spot, layer.args.get("dim")), flags=flags
        )
    if words.PASSING_LAYERS.match(last):
        return replace(
            given, kind="tensor", flags=given.flags | {"output"}, size=None if "latten" in last else given.size, key=""
        )
    if words.RAW_LAYERS.match(last):
        size = layer.literal("out_features")
        return Value(kind="tensor", act="none", act_at=spot, flags=flags, size=size if isinstance(size, int) else None)
    if words.NORMALISING.match(last) or layer.name.startswith("torchvision.models."):
        return Value(kind="tensor", act="none", act_at=spot, flags=flags, size=given.size)
    return Value(kind="tensor", flags=flags)


def _chained(layer: Value, given: Value, spot: Spot) -> Value:
    if not layer.closed or not layer.items:
        return Value(kind="tensor", flags=frozenset({"output"}))
    for item in layer.items:
        given = (
            applied(item, given, spot) if item.kind == "layer" else Value(kind="tensor", flags=frozenset({"output"}))
        )
    return given


def as_output(value: Value, model: Value, without_grad: Spot | None = None) -> Value:
    """What a model of the program returns is its output, whatever was seen on the way."""
    cut = "torch.no_grad()" if without_grad else ""
    if value.kind == "tensor":
        flags = (value.flags | {"output"}) - {"data"}
        return replace(value, flags=flags, cut=cut or value.cut, cut_at=without_grad or value.cut_at)
    if value.kind == "tuple":
        items = tuple(as_output(item, model, without_grad) if item.kind == "tensor" else item for item in value.items)
        return replace(value, items=items)
    if value.kind in ("unknown", "bound"):
        return Value(kind="tensor", flags=frozenset({"output"}), name=model.name, cut=cut, cut_at=without_grad)
    return value
