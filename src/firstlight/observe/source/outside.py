"""What torch and other libraries give back when they are called."""

import ast
from collections.abc import Sequence

from firstlight.observe.source import vocabulary as words
from firstlight.observe.source.machine import Frame, Machine
from firstlight.observe.source.values import combined, element, replace, role, short
from firstlight.records.source import UNKNOWN, Call, Spot, Value

Args = tuple[Value, ...]
Keywords = dict[str, Value]
WRAPPERS = frozenset(
    """torch.nn.DataParallel torch.nn.parallel.DistributedDataParallel torch.compile torch.nn.parallel.DataParallel
    torch.jit.script apex.parallel.DistributedDataParallel torch.nn.utils.weight_norm torch.nn.utils.spectral_norm
    torch.nn.utils.parametrizations.weight_norm torch.nn.utils.parametrizations.spectral_norm copy.deepcopy""".split()
)
ITERATION = frozenset(
    {"enumerate", "tqdm", "zip", "iter", "list", "track", "islice", "cycle", "reversed", "sorted", "trange"}
)
SKLEARN = frozenset(
    """StandardScaler MinMaxScaler RobustScaler MaxAbsScaler PCA TruncatedSVD SimpleImputer KNNImputer IterativeImputer
    PowerTransformer QuantileTransformer Normalizer TfidfVectorizer CountVectorizer SelectKBest OneHotEncoder OrdinalEncoder
    TargetEncoder VarianceThreshold KBinsDiscretizer FeatureAgglomeration NMF FastICA""".split()
)


def typed_by_base(value: Value, names: Sequence[str], args: Args) -> Value:
    """An object of a class that extends torch's optimizer, scheduler or loader is one."""
    for name in names:
        last = short(name)
        if name.startswith("torch.optim.lr_scheduler.") or words.SCHEDULERS.search(last):
            return replace(value, kind="scheduler")
        if name.startswith("torch.optim.") or last == "Optimizer" or last in words.OPTIMIZERS:
            return replace(value, kind="optimizer")
        if last.endswith("DataLoader"):
            return replace(value, kind="loader", args={"dataset": args[0]} if args else {})
    return value


def symbol_called(
    machine: Machine, frame: Frame, node: ast.Call, callee: Value, args: Args, keywords: Keywords
) -> Value:
    name = canonical(callee.name)
    spot = machine.spot(frame, node)
    result = _result(name, args, keywords, spot, "no_grad" in machine.guards)
    machine.note(frame, Call, node, target=name, args=args, keywords=keywords, result=result)
    return result


def canonical(name: str) -> str:
    if name.startswith("torch.nn.modules."):
        return f"torch.nn.{short(name)}"
    if name.startswith("torch.optim.") and name.count(".") == 3 and ".lr_scheduler." not in name:
        return f"torch.optim.{short(name)}"
    return name


def _result(name: str, args: Args, keywords: Keywords, spot: Spot, no_grad: bool) -> Value:
    last = short(name)
    made = _made(name, last, args, keywords, spot)
    if made is not None:
        return made
    if name in words.LOSS_FUNCTIONS:
        return loss_of(last, args or tuple(keywords.values()))
    if name.startswith(("torch.nn.functional.", "torch.", "einops.")):
        return operated(last, args, keywords, spot, name.startswith(words.FUNCTIONAL))
    if name in WRAPPERS and args:
        return args[0]
    if last in ITERATION and args:
        return Value(kind="list", items=args[:1], closed=False) if args[0].kind == "params" else _iterated(last, args)
    if last == "filter" and len(args) > 1 and args[1].kind == "params":
        return args[1]
    if last == "len" and args:
        return Value(kind="length", key=args[0].key, items=(args[0],))
    if last in ("float", "int") and args and args[0].has("output"):
        return replace(args[0], cut=f"{last}()", cut_at=spot, flags=args[0].flags | {"number"})
    if name.startswith("numpy.") and args and any(value.kind == "tensor" for value in args):
        cut = next((value for value in args if value.kind == "tensor" and value.has("output")), None)
        return replace(cut, cut=f"numpy.{last}", cut_at=spot, act="") if cut else UNKNOWN
    return UNKNOWN


def _made(name: str, last: str, args: Args, keywords: Keywords, spot: Spot) -> Value | None:
    """An object constructed by a class we know."""
    kind = "parameter" if name == "torch.nn.Parameter" else _kind(name, last)
    if not kind:
        return None
    positions = words.POSITIONS.get(name, ())
    given = {positions[i] if i < len(positions) else str(i): value for i, value in enumerate(args)} | keywords
    if name in ("torch.nn.Sequential", "torch.nn.ModuleList"):
        return _container(name, args, spot)
    return Value(kind=kind, name=name, args=given, made=spot)


def _kind(name: str, last: str) -> str:
    if not last[:1].isupper():
        if name.startswith("torchvision.models.") and not last.startswith(("get_", "list_")):
            return "layer"
        return "scheduler" if words.SCHEDULERS.search(last) and "sched" in last else ""
    if name in WRAPPERS:
        return ""
    if name.startswith("torch.optim.lr_scheduler.") or (
        words.SCHEDULERS.search(last) and name.startswith(("timm.", "transformers.", "torch."))
    ):
        return "scheduler"
    if last in words.OPTIMIZERS or (name.startswith("torch.optim.") and last != "Optimizer"):
        return "optimizer"
    if last == "GradScaler":
        return "scaler"
    if last.endswith("DataLoader") and not name.startswith("monai.networks"):
        return "loader"
    if name.startswith("torch.nn.") and last not in ("Parameter", "Module") and name.count(".") == 2:
        return "layer"
    if name.startswith("sklearn.") and last in SKLEARN:
        return "learner"
    return ""


def _container(name: str, args: Args, spot: Spot) -> Value:
    if (
        len(args) == 1
        and args[0].kind in ("list", "tuple", "dict")
        and (name != "torch.nn.Sequential" or args[0].has("spread"))
    ):
        return Value(kind="layer", name=name, items=args[0].items, closed=False, made=spot)
    items = tuple(arg for arg in args if not arg.has("spread"))
    closed = len(items) == len(args) and not any(arg.kind == "unknown" for arg in args[-1:])
    return Value(kind="layer", name=name, items=items, closed=closed, made=spot)


def _iterated(last: str, args: Args) -> Value:
    if last == "enumerate":
        inner = element(args[0])
        return Value(kind="pairs", items=(Value(kind="tuple", items=(UNKNOWN, inner)), args[0]), key=args[0].key)
    if last == "zip":
        return Value(
            kind="pairs",
            items=(Value(kind="tuple", items=tuple(element(arg) for arg in args)), args[0]),
            key=args[0].key,
        )
    return args[0]


def loss_of(name: str, args: Args) -> Value:
    given = combined([value for value in args if value.kind != "const"][:2])
    flags = (given.flags | {"loss"}) - {"data"}
    return Value(kind="tensor", name=name, flags=flags, cut=given.cut, cut_at=given.cut_at)


def operated(last: str, args: Args, keywords: Keywords, spot: Spot, functional: bool) -> Value:
    """A function of torch, or a method of a tensor with the tensor as its first argument."""
    first = args[0] if args else keywords.get("input", UNKNOWN)
    if first.kind in ("list", "tuple") and last in ("cat", "stack", "concat") and first.items:
        first = first.items[0] if all(item == first.items[0] for item in first.items) else combined(first.items)
    if last in words.ACTIVATION_FUNCTIONS:
        dim = keywords.get("dim", args[1] if len(args) > 1 else None)
        return activated(first, words.ACTIVATION_FUNCTIONS[last], spot, dim)
    if last in words.CUTTING:
        return _cut(first, last, spot)
    if first.kind != "tensor":
        return UNKNOWN
    if last in words.PASSING:
        flags = first.flags | {"floored"} if last in words.FLOORING else first.flags
        if last in words.RESHAPING:
            flags = (flags - {"flat", "column"}) | _form(last, args[1:])
        return replace(first, flags=flags, size=None if last in words.RESHAPING else first.size, key="")
    if last == "log":
        return replace(
            combined([first]), act={"softmax": "log_softmax", "sigmoid": "logsigmoid"}.get(first.act, ""), act_at=spot
        )
    if last in ("linear", "conv1d", "conv2d", "conv3d"):
        return replace(combined([first]), act="none", act_at=spot)
    if last in words.REDUCING:
        return replace(combined([first]), flags=first.flags - {"batch"})
    if last in ("tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor"):
        copies = last in ("tensor", "Tensor", "FloatTensor") and first.has("output")
        return (
            replace(first, cut=first.cut or f"torch.{last}", cut_at=first.cut_at or spot)
            if copies or first.cut
            else first
        )
    return combined([first, *args[1:]])


def _form(last: str, sizes: Args) -> frozenset[str]:
    """Whether a reshaping leaves one dimension for certain, or a second one of size 1."""
    shape = [size.const if size.kind == "const" else ... for size in sizes]
    if last in ("view", "reshape"):
        if shape == [-1]:
            return frozenset({"flat"})
        return frozenset({"column"}) if shape in ([-1, 1],) or (len(shape) == 2 and shape[1] == 1) else frozenset()
    if last == "flatten" and not shape:
        return frozenset({"flat"})
    return frozenset({"column"}) if last == "unsqueeze" and shape == [1] else frozenset()


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


def _cut(value: Value, last: str, spot: Spot) -> Value:
    if value.kind != "tensor":
        return Value(kind="tensor", flags=frozenset({"detached"})) if last == "detach" else UNKNOWN
    if not value.has("output") or value.cut:
        return replace(value, flags=value.flags | {"number"}) if last in words.NUMBERS else value
    flags = value.flags | {"number"} if last in words.NUMBERS else value.flags
    keep = value.act if last in ("detach", "detach_", "numpy", "item") else ""
    return replace(value, cut=words.CUTTING[last], cut_at=spot, act=keep, flags=flags, size=None)


def layer_called(machine: Machine, frame: Frame, node: ast.Call, layer: Value, args: Args, keywords: Keywords) -> Value:
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


def method_called(
    machine: Machine, frame: Frame, node: ast.Call, callee: Value, args: Args, keywords: Keywords
) -> Value:
    receiver = callee.items[0] if callee.items else UNKNOWN
    name = callee.name
    spot = machine.spot(frame, node)
    title = role(receiver)
    result = UNKNOWN
    if receiver.kind == "tensor":
        result = operated(name, (receiver, *args), keywords, spot, False)
    elif receiver.kind in ("layer", "optimizer") and name in (
        "to",
        "cuda",
        "cpu",
        "float",
        "train",
        "eval",
        "half",
        "double",
        "requires_grad_",
        "apply",
    ):
        result = receiver
    elif name in ("detach", "item", "numpy"):
        result = _cut(receiver, name, spot)
    elif name in ("parameters", "named_parameters"):
        result = Value(kind="params", key=receiver.key, items=(receiver,), made=spot)
    elif name == "prepare" and args:
        result = args[0] if len(args) == 1 else Value(kind="tuple", items=args)
    elif title == "scaler" and name == "scale" and args:
        result = args[0]
    elif receiver.kind == "learner" and name in ("fit_transform", "transform"):
        result = Value(kind="unknown", name=name)
    target = f"{title or receiver.kind if receiver.kind != 'unknown' else title}.{name}"
    machine.note(
        frame,
        Call,
        node,
        target=target,
        receiver=receiver,
        args=args,
        keywords=keywords,
        result=result,
        opaque=receiver.kind in ("unknown", "bound", "instance"),
    )
    return result
