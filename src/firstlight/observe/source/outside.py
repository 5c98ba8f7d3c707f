"""What torch and other libraries give back when they are called."""

import ast
import re
from collections.abc import Sequence

from firstlight.observe.source import vocabulary as words
from firstlight.observe.source.layers import loss_of
from firstlight.observe.source.machine import Frame, Given, Machine
from firstlight.observe.source.operations import cut_off, operated
from firstlight.observe.source.values import element, replace, role, short
from firstlight.records.source import UNKNOWN, Call, Spot, Value

Args = tuple[Value, ...]
Keywords = dict[str, Value]
WRAPPERS = frozenset(
    """torch.nn.DataParallel torch.nn.parallel.DistributedDataParallel torch.compile torch.nn.parallel.DataParallel
    torch.jit.script apex.parallel.DistributedDataParallel torch.nn.utils.weight_norm torch.nn.utils.spectral_norm
    torch.nn.utils.parametrizations.weight_norm torch.nn.utils.parametrizations.spectral_norm copy.deepcopy""".split()
)
RETURNING_SELF = frozenset(
    {"to", "cuda", "cpu", "float", "double", "half", "train", "eval", "requires_grad_", "apply", "compile"}
)
OPERATIONS = re.compile(r"(?:torch|torch\.nn\.functional|torch\.linalg|einops)\.\w+$")
ITERATION = frozenset(
    {"enumerate", "tqdm", "zip", "iter", "list", "track", "islice", "cycle", "reversed", "sorted", "trange"}
)
SKLEARN = frozenset(
    """StandardScaler MinMaxScaler RobustScaler MaxAbsScaler PCA TruncatedSVD SimpleImputer KNNImputer IterativeImputer
    PowerTransformer QuantileTransformer Normalizer TfidfVectorizer CountVectorizer SelectKBest OneHotEncoder
    OrdinalEncoder TargetEncoder VarianceThreshold KBinsDiscretizer FeatureAgglomeration NMF FastICA""".split()
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


def symbol_called(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    args, keywords = given
    name = canonical(callee.name)
    spot = machine.spot(frame, node)
    result = _result(name, args, keywords, spot)
    machine.note(frame, Call, node, target=name, args=args, keywords=keywords, result=result)
    return result


def canonical(name: str) -> str:
    if name.startswith("torch.nn.modules."):
        return f"torch.nn.{short(name)}"
    if name.startswith("torch.optim.") and name.count(".") == 3 and ".lr_scheduler." not in name:
        return f"torch.optim.{short(name)}"
    return name


def _result(name: str, args: Args, keywords: Keywords, spot: Spot) -> Value:
    last = short(name)
    made = _made(name, last, args, keywords, spot)
    if made is not None:
        return made
    if name in words.LOSS_FUNCTIONS:
        return loss_of(last, args or tuple(keywords.values()))
    if OPERATIONS.match(name):
        return operated(last, args, keywords, spot)
    if not args:
        return UNKNOWN
    if name in WRAPPERS:
        return args[0]
    if name.startswith("numpy.") and any(value.kind == "tensor" for value in args):
        cut = next((value for value in args if value.kind == "tensor" and value.has("output")), None)
        return replace(cut, cut=f"numpy.{last}", cut_at=spot, act="") if cut else UNKNOWN
    return _of_python(last, args, spot)


def _of_python(last: str, args: Args, spot: Spot) -> Value:
    first = args[0]
    if last in ITERATION:
        return Value(kind="list", items=args[:1], closed=False) if first.kind == "params" else _iterated(last, args)
    if last == "filter" and len(args) > 1 and args[1].kind == "params":
        return args[1]
    if last == "len":
        return Value(kind="length", key=first.key, items=(first,))
    if last == "float" and first.const in ("inf", "-inf"):
        return Value(kind="const", const=float(first.const))
    if last in ("float", "int") and first.has("output"):
        return replace(first, cut=f"{last}()", cut_at=spot, flags=first.flags | {"number"})
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


def method_called(machine: Machine, frame: Frame, node: ast.Call, callee: Value, given: Given) -> Value:
    receiver = callee.items[0] if callee.items else UNKNOWN
    title = role(receiver)
    result = _of_method(receiver, callee.name, given, machine.spot(frame, node))
    kind = title if receiver.kind == "unknown" else title or receiver.kind
    machine.note(
        frame,
        Call,
        node,
        target=f"{kind}.{callee.name}",
        receiver=receiver,
        args=given[0],
        keywords=given[1],
        result=result,
        opaque=receiver.kind in ("unknown", "bound", "instance"),
    )
    return result


def _of_method(receiver: Value, name: str, given: Given, spot: Spot) -> Value:
    args, keywords = given
    if receiver.kind == "tensor":
        return operated(name, (receiver, *args), keywords, spot)
    if receiver.kind in ("layer", "optimizer") and name in RETURNING_SELF:
        return receiver
    if name in ("detach", "item", "numpy"):
        return cut_off(receiver, name, spot)
    if name in ("parameters", "named_parameters"):
        return Value(kind="params", key=receiver.key, items=(receiver,), made=spot)
    if name == "prepare" and args:
        return args[0] if len(args) == 1 else Value(kind="tuple", items=args)
    if name == "scale" and args and role(receiver) == "scaler":
        return args[0]
    return UNKNOWN
