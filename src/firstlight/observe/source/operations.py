"""What one operation of torch makes of a tensor."""

from firstlight.observe.source import vocabulary as words
from firstlight.observe.source.layers import activated
from firstlight.observe.source.values import combined, replace
from firstlight.records.source import UNKNOWN, Spot, Value

Args = tuple[Value, ...]
COPYING = frozenset({"tensor", "Tensor", "FloatTensor"})
WRAPPING = COPYING | {"as_tensor", "from_numpy"}
LOGARITHMS = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}


def operated(last: str, args: Args, keywords: dict[str, Value], spot: Spot) -> Value:
    """A function of torch, or a method of a tensor with the tensor as its first argument."""
    if last in words.FACTORIES:
        return UNKNOWN if "requires_grad" in keywords else Value(kind="tensor", flags=frozenset({"data"}))
    first = args[0] if args else keywords.get("input", UNKNOWN)
    if first.kind in ("list", "tuple") and last in ("cat", "stack", "concat") and first.items:
        first = first.items[0] if all(item == first.items[0] for item in first.items) else combined(first.items)
    if last in words.ACTIVATION_FUNCTIONS:
        dim = keywords.get("dim", args[1] if len(args) > 1 else None)
        return activated(first, words.ACTIVATION_FUNCTIONS[last], spot, dim)
    if last in words.CUTTING:
        return cut_off(first, last, spot)
    return _changed(first, last, args[1:], spot) if first.kind == "tensor" else UNKNOWN


def _changed(value: Value, last: str, others: Args, spot: Spot) -> Value:
    if last in words.PASSING:
        return _passed(value, last, others)
    if last == "log":
        return replace(combined([value]), act=LOGARITHMS.get(value.act, ""), act_at=spot)
    if last in ("linear", "conv1d", "conv2d", "conv3d"):
        return replace(combined([value]), act="none", act_at=spot)
    if last in words.REDUCING:
        return replace(combined([value]), flags=value.flags - {"batch"})
    if last in WRAPPING:
        copied = value.cut or (f"torch.{last}" if last in COPYING and value.has("output") else "")
        return replace(value, cut=copied, cut_at=value.cut_at or spot) if copied else value
    return combined([value, *others])


def _passed(value: Value, last: str, others: Args) -> Value:
    flags = value.flags | {"floored"} if last in words.FLOORING else value.flags
    if last not in words.RESHAPING:
        return replace(value, flags=flags, key="")
    return replace(value, flags=(flags - {"flat", "column"}) | _form(last, others), size=None, key="")


def _form(last: str, sizes: Args) -> frozenset[str]:
    """Whether a reshaping leaves one dimension for certain, or a second one of size 1."""
    shape = [size.const if size.kind == "const" else ... for size in sizes]
    if last in ("view", "reshape"):
        if shape == [-1]:
            return frozenset({"flat"})
        return frozenset({"column"}) if len(shape) == 2 and shape[1] == 1 else frozenset()
    if last == "flatten" and not shape:
        return frozenset({"flat"})
    return frozenset({"column"}) if last == "unsqueeze" and shape == [1] else frozenset()


def cut_off(value: Value, last: str, spot: Spot) -> Value:
    if value.kind != "tensor":
        return Value(kind="tensor", flags=frozenset({"detached"})) if last == "detach" else UNKNOWN
    if not value.has("output") or value.cut:
        return replace(value, flags=value.flags | {"number"}) if last in words.NUMBERS else value
    flags = value.flags | {"number"} if last in words.NUMBERS else value.flags
    keep = value.act if last in ("detach", "detach_", "numpy", "item") else ""
    return replace(value, cut=words.CUTTING[last], cut_at=spot, act=keep, flags=flags, size=None)
