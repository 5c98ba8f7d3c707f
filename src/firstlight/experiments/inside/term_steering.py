"""Steers the sum that is minimised: one of its terms is taken out of it, or only out of what is told of it.

Two copies make a pair: in both the loss that is told is that of the other terms, in one of them the term still pulls.
"""

import re
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from firstlight.observe.inside import sites
from firstlight.observe.inside.graph import name_of, nodes_behind, nodes_from, reduced, saved_tensors
from firstlight.observe.inside.observer import Observer
from firstlight.records.places import Site
from firstlight.records.steered import TermJoined

PLUS, MINUS = frozenset({"add", "add_", "__radd__"}), frozenset({"sub", "sub_"})
TIMES, OVER = frozenset({"mul", "mul_", "__rmul__"}), frozenset({"div", "div_", "true_divide"})

JOINS = frozenset({"AddBackward0", "SubBackward0"})
SCORED = re.compile("Loss|CrossEntropy")
"""In the names of nodes that torch's losses leave in a graph."""


class _Part(NamedTuple):
    """A number that was added to others, the factor it is counted with, and the line where it joins them."""

    value: torch.Tensor
    factor: float
    line: Site | None


class _Sums(TorchFunctionMode):
    """Remembers what was added to single numbers, one after the other, until the next backward."""

    def __init__(self) -> None:
        super().__init__()
        self._joined: dict[int, tuple[torch.Tensor, list[_Part]]] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        parts = self._after(name, *args) if len(args) == 2 and not kwargs and _is_term(args[0]) else []
        result = func(*args, **(kwargs or {}))
        if parts:
            self._joined[id(result)] = result, parts
        return result

    def _after(self, name: str, left: torch.Tensor, right: Any) -> list[_Part]:
        before = self.joined(left)
        if _is_term(right) and (name in PLUS or name in MINUS):
            return [*before, _Part(right, 1.0 if name in PLUS else -1.0, sites.caller())]
        if isinstance(right, int | float) and right and (name in TIMES or name in OVER):
            factor = float(right) if name in TIMES else 1.0 / right
            return [part._replace(factor=factor * part.factor) for part in before]
        return []

    def joined(self, root: torch.Tensor) -> list[_Part]:
        """What was added to a first number to make it; what a product holds, or a sum in brackets, is one part."""
        known = self._joined.get(id(root))
        return known[1] if known is not None and known[0] is root else []

    def clear(self) -> None:
        self._joined.clear()


def _is_term(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() == 1 and value.requires_grad


def term_off(observer: Observer, value: str) -> None:
    """The term of this number, counted from one, is no longer part of what is minimised."""
    _take_out(observer, int(value), pulls=False)


def term_aside(observer: Observer, value: str) -> None:
    """It pulls as before, and is not part of the loss that is told."""
    _take_out(observer, int(value), pulls=True)


def _take_out(observer: Observer, number: int, pulls: bool) -> None:
    sums = _Sums()
    sums.__enter__()  # type: ignore[no-untyped-call]  # stays for the life of the timeline
    original = torch.autograd.backward
    told: list[int] = []

    def backward(tensors: Any, *arguments: Any, **keywords: Any) -> None:
        root = tensors if isinstance(tensors, torch.Tensor) else tensors[0]
        parts = sums.joined(root)
        sums.clear()
        if not parts or number > 1 + len(parts):
            return original(tensors, *arguments, **keywords)
        if not told:
            told.append(number)
            line = parts[max(0, number - 2)].line
            aside = number > 1 and _is_aside(root, parts, number - 2)
            times = _times_averaged(root, parts) if number > 1 else 1.0
            observer.emit(TermJoined(terms=1 + len(parts), site=line, aside=aside, averaged=times))
        term = _term(root, parts, number)
        return original(root - (term.detach() if pulls else term), *arguments, **keywords)

    torch.autograd.backward = backward


def _term(root: torch.Tensor, parts: list[_Part], number: int) -> torch.Tensor:
    """The first is what is left of the loss without the others: it may have been added to in place."""
    counted = [part.factor * part.value for part in parts]
    return root - sum(counted) if number == 1 else counted[number - 2]


def _is_aside(root: torch.Tensor, parts: list[_Part], at: int) -> bool:
    """It cannot be the task: it does not rest on the batch, or another term is scored by a loss of torch's, and it is
    not. What the first one is scored by is what none of the others has."""
    term = set(nodes_behind(parts[at].value))
    if not any(map(_rests_on_given, term)) or _trains_a_part(root, parts):
        return True
    others = [node for index, part in enumerate(parts) if index != at for node in nodes_behind(part.value)]
    first = set(nodes_behind(root)) - term - set(others)
    return not any(map(_scores, term)) and any(map(_scores, (*others, *first)))


def _trains_a_part(root: torch.Tensor, parts: list[_Part]) -> bool:
    """The only other one trains all that this one does, and more: this is about a code on the way, not its end."""
    other = _only_other(root, parts)
    if other is None or parts[0].value.grad_fn is None:
        return False
    own, all_of_other = (_trained(node) for node in (parts[0].value.grad_fn, other))
    return own < all_of_other


def _trained(node: Any) -> set[int]:
    return {id(leaf) for one in nodes_from(node) if (leaf := getattr(one, "variable", None)) is not None}


def _times_averaged(root: torch.Tensor, parts: list[_Part]) -> float:
    """Over how many times as many numbers the other one is averaged, where this one is a sum of its own; else 1.

    Weights are counted once, whatever the batch: a sum over them is no forgotten mean.
    """
    other = _only_other(root, parts)
    if other is None or not any(map(_rests_on_given, nodes_behind(parts[0].value))):
        return 1.0
    others, own = reduced(other), reduced(parts[0].value.grad_fn)
    return others.averaged / own.averaged if own.summed and not others.summed else 1.0


def _only_other(root: torch.Tensor, parts: list[_Part]) -> Any:
    """What this one was added to, where the loss is a sum of two."""
    node = root.grad_fn if len(parts) == 1 else None
    while node is not None and name_of(node) not in JOINS:
        node = next((one for one, _ in node.next_functions if one is not None), None)
    joined = [one for one, _ in node.next_functions if one is not None] if node is not None else []
    return joined[0] if len(joined) > 1 else None


def _scores(node: Any) -> bool:
    return SCORED.search(name_of(node)) is not None


def _rests_on_given(node: Any) -> bool:
    """It keeps numbers that nothing is trained to make: inputs, answers, indices."""
    return any(kept.numel() > 1 and not kept.requires_grad for kept in saved_tensors(node).values())
