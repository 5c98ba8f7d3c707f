"""Functions of the user's own that hand on no gradient: whatever their `backward` is given, it gives zeros."""

import inspect
from collections.abc import Iterable
from functools import partial
from typing import Any

import torch

from firstlight.observe.inside import graph, reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.records.places import Site

MOST_WATCHED = 16
"""Calls of such functions behind one backward."""
BACKWARD = ".backward"


class HandedOn:
    def __init__(self, observer: Observer, cuts: dict[int, tuple[str, Site]]) -> None:
        self._cuts = cuts
        """By parameter: the function behind which no gradient reached it, and the line of its `backward`."""
        self._told = observer.shielded("backward", self._tell)

    def watch(self, nodes: Iterable[graph.Node]) -> None:
        """For one backward. What a node calls must not hold the node."""
        own = [(node, function) for node in nodes if (function := _own_function(node)) is not None]
        for node, (name, site) in own[:MOST_WATCHED]:
            leaves = (getattr(one, "variable", None) for one in graph.nodes_from(node))
            behind = frozenset(id(leaf) for leaf in leaves if leaf is not None)
            node.register_hook(partial(self._told, name, site, behind))

    def _tell(self, name: str, site: Site, behind: frozenset[int], handed_on: Any, given: Any) -> None:
        if any(map(_is_something, given)) and not any(map(_is_something, handed_on)):
            self._cuts.update(dict.fromkeys(behind, (name, site)))
        elif any(self._cuts.get(one, ("",))[0] == name for one in behind):
            for one in behind:
                self._cuts.pop(one, None)


def _own_function(node: graph.Node) -> tuple[str, Site] | None:
    function = getattr(type(node), "_forward_cls", None)
    code = getattr(inspect.unwrap(function.backward), "__code__", None) if function is not None else None
    site = sites.site_of(code.co_filename, code.co_firstlineno) if code is not None else None
    return (function.__name__ + BACKWARD, site) if function is not None and site is not None else None


def _is_something(gradient: torch.Tensor | None) -> bool:
    """Not a number is no zero."""
    return gradient is not None and (not reading.readable(gradient) or bool((gradient != 0).any()))
