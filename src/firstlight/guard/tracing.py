"""Where a loss that is not finite came from, read off its graph before the backward frees it.

Nothing is run again. Each node of the graph kept what its backward needs, and the nodes are numbered in the order of
the forward pass, so the first that shows a bad number is near its source. Named is the module whose weights were used
last up to there. What happens inside a compiled graph or a kernel of its own is not seen.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch

from firstlight.facts.live.turning import Origin
from firstlight.observe.inside import graph, reading
from firstlight.observe.inside.singularities import FORWARD

MEANT = ("mask", "bias")
"""In the names of what a node kept: an infinity there was put there on purpose."""
PLACES = {"other": 1, "target": 1, "weight": 1, "mat1": 1, "mat2": 2}
"""Which argument of its node a kept tensor is; the first where nothing is said."""


def origin_of(root: torch.Tensor, names: Mapping[int, str]) -> Origin | None:
    """`names`: of the parameters, by identity."""
    nodes = list(graph.nodes_behind(root))
    if (weight := _bad_weight(nodes, names)) is not None:
        return Origin(module=weight, words=f"the weight `{weight}` was not finite before this step")
    module, bad = None, torch.isnan if bool(torch.isnan(root)) else torch.isinf
    for node in sorted((n for n in nodes if not _is_leaf(n)), key=lambda n: n._sequence_nr()):
        used = _module_of(node, names)
        if _is_over_nothing(node):
            return Origin(module=used or module, words="every target of the batch is ignored", masked=True)
        origin = _overflowing(node) or _singular(node) or _shown(node, bad)
        if origin is not None:
            return dataclasses.replace(origin, module=used or module)
        module = used or module
    return Origin(module=module, words="") if module is not None else None


def _bad_weight(nodes: list[Any], names: Mapping[int, str]) -> str | None:
    leaves = (leaf for node in nodes if (leaf := getattr(node, "variable", None)) is not None)
    return next((names.get(id(leaf), "") for leaf in leaves if not reading.all_finite(leaf)), None)


def _module_of(node: Any, names: Mapping[int, str]) -> str | None:
    """The module whose weight the node used, as it is or transposed or cast."""
    for child, _ in node.next_functions:
        end = child
        while end is not None and not _is_leaf(end) and graph.keeps_values(end) and end.next_functions:
            end = end.next_functions[0][0]
        name = names.get(id(end.variable)) if end is not None and _is_leaf(end) else None
        if name is not None:
            return name.rpartition(".")[0] or name
    return None


def _is_leaf(node: Any) -> bool:
    return getattr(node, "variable", None) is not None


def _is_over_nothing(node: Any) -> bool:
    """A loss that is divided by the weight of its targets, which is zero."""
    weight = graph.saved_tensors(node).get("total_weight") if graph.name_of(node).startswith("NllLoss") else None
    return weight is not None and weight.item() == 0


def _overflowing(node: Any) -> Origin | None:
    """Infinities in half precision: the numbers left its range, and all that is bad further on follows from it."""
    for tensor in graph.saved_tensors(node).values():
        if tensor.dtype is torch.float16 and (count := int(torch.isposinf(reading.values_of(tensor)).sum())):
            words = f"{count} value(s) that `{_operation(node)}` was given or made are beyond 65504, the end of float16"
            return Origin(module=None, words=words, half=True)
    return None


def _singular(node: Any) -> Origin | None:
    entries = [entry for entry in FORWARD if entry.node == graph.name_of(node)]
    kept = graph.saved_tensors(node) if entries else {}
    for entry in entries:
        tensor = kept.get(entry.kept)
        whole = entry.operation == "pow" and float(getattr(node, "_saved_exponent", 0.5)).is_integer()
        if tensor is not None and not whole and (count := int(entry.bad(tensor.detach()).sum())):
            return Origin(module=None, words=entry.words.format(n=count))
    return None


def _shown(node: Any, bad: Any) -> Origin | None:
    """What the node kept holds bad numbers: it made them, or was given them by the one before it."""
    for name, tensor in graph.saved_tensors(node).items():
        if any(word in name for word in MEANT) or not tensor.is_floating_point() or not reading.readable(tensor):
            continue
        found = bad(reading.values_of(tensor))
        if count := int(found.sum()):
            words = _blamed(node, name, count) + _in_row(found)
            return Origin(module=None, words=words, fed=count if name == "target" else 0)
    return None


def _in_row(bad: torch.Tensor) -> str:
    """The first row that holds one, where others do not."""
    rows = bad.flatten(1).any(1) if bad.ndim > 1 else bad
    return f", in row {int(rows.nonzero()[0])} of {len(rows)}" if rows.ndim and not bool(rows.all()) else ""


def _blamed(node: Any, kept: str, count: int) -> str:
    if kept == "result":
        return f"`{_operation(node)}` made {count} value(s) that are not finite"
    if kept == "target":
        return f"the target that `{_operation(node)}` was given holds {count} value(s) that are not finite"
    givers = [child for child, _ in node.next_functions]
    maker = givers[min(PLACES.get(kept, 0), len(givers) - 1)] if givers else None
    if maker is None or _is_leaf(maker):
        return (
            f"`{_operation(node)}` was given {count} value(s) that are not finite, in an input that carries no gradient"
        )
    outside = any(child is None for child, _ in maker.next_functions)
    also = ", one of whose inputs carries no gradient" if outside else ""
    return f"{count} value(s) that are not finite came out of `{_operation(maker)}`{also}"


def _operation(node: Any) -> str:
    """As one would write it: `AddmmBackward0` is `addmm`."""
    return graph.name_of(node).partition("Backward")[0].lower()
