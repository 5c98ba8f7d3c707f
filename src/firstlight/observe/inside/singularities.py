"""Where operations leave the finite numbers, and how to say so.

One table for two readers: the search through a finished graph, which knows a node and what it kept, and the localiser,
which sees each operation with what it is given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside import reading

RESULT = -1
"""In place of an argument's position: what the operation returned."""


@dataclass(frozen=True)
class Singularity:
    operation: str
    kept: str
    """What the graph keeps of it, by the name it has there."""
    bad: Callable[[torch.Tensor], torch.Tensor]
    words: str
    remedy: str

    @property
    def node(self) -> str:
        """As torch calls it in its graph."""
        return f"{self.operation.title().replace('_', '')}Backward0"

    @property
    def argument(self) -> int:
        """The position of what is kept among the arguments."""
        return {"self": 0, "other": 1, "result": RESULT}[self.kept]


_POSITIVE = "keep its argument above zero: clamp it, or add a small epsilon"
_LOG = "use the fused form where there is one (`log_softmax`, `logsigmoid`, `logsumexp`), or clamp before the logarithm"
_DIVISOR = "add an epsilon to the divisor, or skip what has nothing to divide by"
_RANGE = "clamp the argument just inside the range"

FORWARD = (
    Singularity("log", "self", lambda x: x == 0, "`log` of {n} zero(s)", _LOG),
    Singularity("log", "self", lambda x: x < 0, "`log` of {n} negative value(s)", _LOG),
    Singularity("log2", "self", lambda x: x <= 0, "`log2` of {n} value(s) at or below zero", _LOG),
    Singularity("log10", "self", lambda x: x <= 0, "`log10` of {n} value(s) at or below zero", _LOG),
    Singularity("log1p", "self", lambda x: x <= -1, "`log1p` of {n} value(s) at or below -1", _LOG),
    Singularity("div", "other", lambda x: x == 0, "a division by {n} exact zero(s)", _DIVISOR),
    Singularity("reciprocal", "result", torch.isinf, "a division by {n} exact zero(s)", _DIVISOR),
    Singularity(
        "exp",
        "result",
        torch.isinf,
        "`exp` overflows in {n} place(s)",
        "subtract the largest exponent first, or use `logsumexp` or `softmax`",
    ),
    Singularity("sqrt", "result", torch.isnan, "`sqrt` of {n} negative value(s)", _POSITIVE),
    Singularity("rsqrt", "result", lambda x: ~torch.isfinite(x), "`rsqrt` of {n} value(s) at or below zero", _POSITIVE),
    Singularity("pow", "self", lambda x: x < 0, "a fractional power of {n} negative value(s)", _POSITIVE),
    Singularity("acos", "self", lambda x: x.abs() > 1, "`acos` of {n} value(s) outside [-1, 1]", _RANGE),
    Singularity("asin", "self", lambda x: x.abs() > 1, "`asin` of {n} value(s) outside [-1, 1]", _RANGE),
    Singularity("atanh", "self", lambda x: x.abs() >= 1, "`atanh` of {n} value(s) at or beyond ±1", _RANGE),
)
BACKWARD = (
    Singularity(
        "sqrt",
        "result",
        lambda x: x == 0,
        "`sqrt` at {n} exact zero(s), where its slope is infinite",
        "add an epsilon under the root",
    ),
    Singularity(
        "norm",
        "result",
        lambda x: x == 0,
        "the norm of {n} zero vector(s), which has no slope",
        "add an epsilon to the vector or to the squared norm",
    ),
    Singularity(
        "linalg_vector_norm",
        "result",
        lambda x: x == 0,
        "the norm of {n} zero vector(s), which has no slope",
        "add an epsilon to the vector or to the squared norm",
    ),
    Singularity(
        "std",
        "result",
        lambda x: x == 0,
        "the standard deviation of {n} constant group(s), which has no slope",
        "take the variance, or add an epsilon before the root",
    ),
    Singularity("log", "self", lambda x: x == 0, "`log` at {n} zero(s), where its slope is infinite", _LOG),
    Singularity("div", "other", lambda x: x == 0, "a division by {n} exact zero(s)", _DIVISOR),
    Singularity("pow", "self", lambda x: x == 0, "a power at {n} zero(s), where its slope is infinite", _POSITIVE),
    Singularity("acos", "self", lambda x: x.abs() == 1, "`acos` at {n} value(s) of exactly ±1", _RANGE),
    Singularity("asin", "self", lambda x: x.abs() == 1, "`asin` at {n} value(s) of exactly ±1", _RANGE),
    Singularity("atan2", "self", lambda x: x == 0, "`atan2` at {n} point(s) on the axis", _DIVISOR),
)


@dataclass(frozen=True)
class Reason:
    words: str
    remedy: str = ""


def found_in(table: Sequence[Singularity], operation: str, args: tuple[Any, ...], result: Any) -> Reason | None:
    """The entry of the table that what the operation was given and made bears out."""
    for entry in table:
        if entry.operation != operation.removesuffix("_") or (table is FORWARD and _is_whole_power(operation, args)):
            continue
        tensor = result if entry.argument == RESULT else args[entry.argument] if entry.argument < len(args) else None
        if isinstance(tensor, int | float) and tensor == 0 and entry.operation == "div":
            return Reason("a division by the number 0", entry.remedy)
        if not isinstance(tensor, torch.Tensor) or not reading.readable(tensor):
            continue
        count = int(entry.bad(tensor.detach()).sum().item())
        if count:
            return Reason(entry.words.format(n=count), entry.remedy)
    return None


def _is_whole_power(operation: str, args: tuple[Any, ...]) -> bool:
    """Defined for negative numbers too."""
    exponent = args[1] if operation.startswith("pow") and len(args) > 1 else None
    return isinstance(exponent, int | float) and float(exponent).is_integer()


def explain(operation: str, args: tuple[Any, ...], result: Any, func: Any) -> Reason | None:
    """Why an operation given finite numbers made others: its singularity, an empty reduction, or the type's range."""
    beyond = _out_of_range(args, result, func)
    narrow = any(tensor.dtype in (torch.float16, torch.bfloat16) for tensor in reading.tensors_in(result))
    if narrow and beyond is not None:
        return beyond
    return (
        found_in(FORWARD, operation, args, result)
        or _nothing_attended(operation, args)
        or _nothing_averaged(operation, args)
        or beyond
    )


def _nothing_attended(operation: str, args: tuple[Any, ...]) -> Reason | None:
    if "softmax" not in operation or not args or not isinstance(args[0], torch.Tensor):
        return None
    axis = args[1] if len(args) > 1 and isinstance(args[1], int) else -1
    rows = int((args[0] == -torch.inf).all(axis).sum().item())
    if not rows:
        return None
    return Reason(
        f"`softmax` over {rows} row(s) that are -inf throughout",
        "leave every row at least one place it may attend to, or drop the fully masked rows",
    )


def _nothing_averaged(operation: str, args: tuple[Any, ...]) -> Reason | None:
    """A mean over nothing is 0/0."""
    tensors = [item for item in args if isinstance(item, torch.Tensor)]
    if operation in ("mean", "std", "var") and tensors and tensors[0].numel() <= int(operation != "mean"):
        return Reason(
            f"`{operation}` of {tensors[0].numel()} value(s), which is 0/0", "skip what is empty before the average"
        )
    if operation.startswith(("nll_loss", "cross_entropy")) and len(tensors) > 1:
        ignored = next((item for item in args[3:] if type(item) is int and item < 0), -100)
        if bool((tensors[1] == ignored).all()):
            return Reason(
                "every target of the batch is `ignore_index`, so the mean is 0/0",
                "skip batches without a valid target, or sum and divide by max(1, count)",
            )
    return None


def _out_of_range(args: tuple[Any, ...], result: Any, func: Any) -> Reason | None:
    """The same operation in float64 gives a finite number: the type is too small for it."""
    made = next((t for t in reading.tensors_in(result) if not reading.all_finite(t)), None)
    if made is None or func is None or made.dtype == torch.float64 or not made.is_floating_point():
        return None
    wide = tuple(_widened(item) for item in args)
    try:
        again = next(t for t in reading.tensors_in(func(*wide)) if t.shape == made.shape)
    except Exception:  # an operation that cannot be had in float64 is not explained this way
        return None
    again = again.double()
    beyond = torch.isfinite(again) & ~torch.isfinite(made)
    if not bool(beyond.any()):
        return None
    name = str(made.dtype).removeprefix("torch.")
    largest = float(again[beyond].abs().max())
    return Reason(
        f"{int(beyond.sum())} value(s) up to {largest:.3g} are beyond the range of {name} "
        f"(largest {torch.finfo(made.dtype).max:.3g})",
        "compute this in float32 or bfloat16, or scale the values down"
        if name == "float16"
        else "scale the values down",
    )


def _widened(item: Any) -> Any:
    if isinstance(item, torch.Tensor) and item.is_floating_point():
        return item.detach().double()
    if isinstance(item, torch.dtype) and item.is_floating_point:
        return torch.float64
    return item
