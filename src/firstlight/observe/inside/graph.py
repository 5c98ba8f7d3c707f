"""Walks the autograd graph behind a tensor: what made it, which parameters it reaches."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

Node = Any
"""torch's graph nodes have no public type with these attributes."""

MOST_NODES = 100_000

_KEEPS_VALUES = frozenset(
    """ViewBackward0 ReshapeAliasBackward0 UnsafeViewBackward0 TransposeBackward0 TransposeBackward1 TBackward0
    PermuteBackward0 SqueezeBackward0 SqueezeBackward1 SqueezeBackward2 UnsqueezeBackward0 SliceBackward0
    SelectBackward0 IndexBackward0 CloneBackward0 ToCopyBackward0 ExpandBackward0 AliasBackward0 ContiguousBackward0
    IndexSelectBackward0 UnbindBackward0 SplitBackward0 MoveaxisBackward0""".split()
)
_SCALED = frozenset(["NegBackward0", "MulBackward0", "DivBackward0", "MeanBackward0", "SumBackward0"])
_NEVER_NEGATIVE = {
    "MseLossBackward0": "mse_loss",
    "L1LossBackward0": "l1_loss",
    "SmoothL1LossBackward0": "smooth_l1_loss",
    "HuberLossBackward0": "huber_loss",
    "BinaryCrossEntropyBackward0": "binary_cross_entropy",
    "BinaryCrossEntropyWithLogitsBackward0": "binary_cross_entropy_with_logits",
}
_LOG_SCORES = ("NllLossBackward0", "NllLoss2DBackward0", "NllLossNdBackward0")
"""Never below zero where they are given logarithms of probabilities."""
_ACTIVATIONS = {
    "SoftmaxBackward0": "softmax",
    "LogSoftmaxBackward0": "log_softmax",
    "SigmoidBackward0": "sigmoid",
    "LogSigmoidBackward0": "logsigmoid",
    "TanhBackward0": "tanh",
    "ReluBackward0": "relu",
}


def name_of(node: Node) -> str:
    return str(node.name())


def keeps_values(node: Node) -> bool:
    """It only moves values about, or casts them."""
    return name_of(node) in _KEEPS_VALUES


def nodes_behind(root: torch.Tensor) -> Iterator[Node]:
    """Breadth first from the root, in an order that is the same for the same program."""
    if root.grad_fn is not None:
        yield from nodes_from(root.grad_fn)


def nodes_from(node: Node) -> Iterator[Node]:
    seen, line, at = {node}, [node], 0
    while at < len(line) and at < MOST_NODES:
        node = line[at]
        at += 1
        yield node
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                line.append(child)


def negated_loss(root: torch.Tensor) -> str | None:
    """The loss function of torch's that is never below zero and whose negative the root is; None where there is none.

    Seen through averages, sums and products with numbers."""
    node, sign = root.grad_fn, 1
    while node is not None:
        name = name_of(node)
        loss = "cross_entropy" if name in _LOG_SCORES and _takes_logs(node) else _NEVER_NEGATIVE.get(name)
        if loss is not None:
            return loss if sign < 0 else None
        other = getattr(node, "_saved_other", None) if name == "MulBackward0" else None
        if not (name in _SCALED or keeps_values(node)):
            return None
        if name == "NegBackward0" or (isinstance(other, torch.Tensor) and other.ndim == 0 and float(other) < 0):
            sign = -sign
        children = [child for child, _ in node.next_functions if child is not None]
        node = children[0] if len(children) == 1 else None
    return None


def _takes_logs(node: Node) -> bool:
    child = node.next_functions[0][0]
    return child is not None and name_of(child) == "LogSoftmaxBackward0"


def parameters_behind(root: torch.Tensor) -> set[int]:
    """Identities of the leaf tensors the graph ends in."""
    return {id(leaf) for node in nodes_behind(root) if (leaf := getattr(node, "variable", None)) is not None}


def activation_behind(tensor: torch.Tensor) -> tuple[str | None, Node | None]:
    """The activation whose output this tensor is, seen through operations that only move values about."""
    node = tensor.grad_fn
    for _ in range(32):
        if node is None:
            return None, None
        name = name_of(node)
        if name in _ACTIVATIONS:
            return _ACTIVATIONS[name], node
        if not keeps_values(node) or not node.next_functions:
            return None, None
        node = node.next_functions[0][0]
    return None, None


_AVERAGING = frozenset(
    [
        "NllLossBackward0",
        "NllLoss2DBackward0",
        "BinaryCrossEntropyBackward0",
        "BinaryCrossEntropyWithLogitsBackward0",
        "MseLossBackward0",
        "SmoothL1LossBackward0",
        "HuberLossBackward0",
    ]
)
_ADDED = frozenset(["AddBackward0", "SubBackward0", "RsubBackward1"])
_MEAN = 1
"""How torch writes `reduction="mean"` in its nodes."""


def times_average(root: torch.Tensor) -> float | None:
    """By which number the result of a loss function that averages was multiplied to give this tensor; None where it is
    no such product."""
    node, factor = root.grad_fn, 1.0
    while node is not None and name_of(node) in ("MulBackward0", "DivBackward0"):
        other = _number(getattr(node, "_saved_other", None))
        if len(behind := [one for one, _ in node.next_functions if one is not None]) != 1 or not other:
            return None
        factor = factor * other if name_of(node) == "MulBackward0" else factor / other
        node = behind[0]
    averages = node is not None and name_of(node) in _AVERAGING and getattr(node, "_saved_reduction", None) == _MEAN
    return factor if averages else None


class Reduced(NamedTuple):
    """How a single number was made of many."""

    averaged: int
    """Numbers that it is the mean of."""
    summed: bool
    """Others were added up besides."""


def reduced(node: Node | None) -> Reduced:
    """Seen through products and sums, of which one side is followed, up to the first call that does more."""
    averaged, summed = 1, False
    while node is not None:
        name = name_of(node)
        if name in _AVERAGING and (target := saved_tensors(node).get("target")) is not None:
            means = getattr(node, "_saved_reduction", None) == _MEAN
            return Reduced(averaged * target.numel(), summed) if means else Reduced(averaged, summed=True)
        if name == "MeanBackward0":
            averaged *= node._saved_self_sym_numel
        elif name == "MeanBackward1":
            sizes = node._saved_self_sym_sizes
            averaged *= math.prod(sizes[at if at < len(sizes) else at - _UNSIGNED] for at in node._saved_dim)
        elif name.startswith("SumBackward"):
            summed = True
        elif not (name in _SCALED | _ADDED or keeps_values(node)):
            break
        node = next((one for one, _ in node.next_functions if one is not None), None)
    return Reduced(averaged, summed)


_UNSIGNED = 1 << 64
"""Torch keeps the last axis, -1, as this less one."""


def _number(value: object) -> float | None:
    if not isinstance(value, torch.Tensor) or value.requires_grad or value.numel() != 1 or value.device.type != "cpu":
        return None
    return float(value)


def saved_tensors(node: Node) -> dict[str, torch.Tensor]:
    """What the node kept of its inputs and outputs, by name (`self`, `other`, `result`, …)."""
    kept: dict[str, torch.Tensor] = {}
    for attribute in dir(node):
        if not attribute.startswith("_saved_"):
            continue
        try:
            value = getattr(node, attribute)
        except RuntimeError:  # freed by an earlier backward
            continue
        if isinstance(value, torch.Tensor):
            kept[attribute.removeprefix("_saved_")] = value
    return kept


def summands(root: torch.Tensor) -> int:
    """How many numbers were added up, one after the other, to a loss that may have been scaled since."""
    node: Node | None = root.grad_fn
    while node is not None and name_of(node) in ("MulBackward0", "DivBackward0"):
        factors = [behind for behind, _ in node.next_functions if behind is not None]
        node = factors[0] if len(factors) == 1 else None
    count = 1
    while node is not None and name_of(node) in ("AddBackward0", "SubBackward0"):
        if any(behind is None for behind, _ in node.next_functions):
            break
        count += 1
        node = node.next_functions[0][0]
    return count
