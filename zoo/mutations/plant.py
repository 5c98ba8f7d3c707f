"""Puts a question and a change together: a mutation plants the change wherever the question finds a place."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.source import Source
from zoo.records import Planted, Site

_LONGEST_KEY = 48


class HasNode(Protocol):
    """Something found in a program, that stands at a node."""

    @property
    def node(self) -> ast.AST: ...


Found = TypeVar("Found", bound="ast.AST | HasNode")
Plant = Callable[[Source], Iterator[Planted]]


def at(find: Callable[[Source], Iterable[Found]], change: Callable[[Source, Found], list[Edit]]) -> Plant:
    """Make the change at everything that is found; where it cannot be written on the same lines, nothing is planted."""

    def plant(source: Source) -> Iterator[Planted]:
        met: Counter[str] = Counter()
        for found in find(source):
            edits = change(source, found)
            files = edit.applied(edits)
            if not files:
                continue
            key = _key(source, found if isinstance(found, ast.AST) else found.node)
            met[key] += 1
            fault = edits[0]
            line = fault.file.text.count("\n", 0, fault.start) + 1
            yield Planted(Site(fault.file.path, line, f"{key}#{met[key] - 1}"), files, line)

    return plant


def removed(source: Source, node: ast.AST) -> list[Edit]:
    """Leave out the statement this is."""
    return edit.remove(source, source.statement(node))


def wrapped(template: str) -> Callable[[Source, ast.expr], list[Edit]]:
    """Write an expression around what is found, which stands in the template as `{}`."""
    return lambda source, node: edit.wrap(source, node, template)


def replaced(text: str) -> Callable[[Source, ast.AST], list[Edit]]:
    """Write another expression in place of what is found."""
    return lambda source, node: edit.replace(source, node, text)


def scaled(factor: float) -> Callable[[Source, ast.Constant], list[Edit]]:
    """Write a number so many times as large."""

    def change(source: Source, node: ast.Constant) -> list[Edit]:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return []
        return edit.replace(source, node, f"{node.value * factor:.6g}")

    return change


def first(*plants: Plant) -> Plant:
    """Plant with the first of these that finds a place in the program."""

    def plant(source: Source) -> Iterator[Planted]:
        for one in plants:
            found = list(one(source))
            if found:
                yield from found
                return

    return plant


def _key(source: Source, node: ast.AST) -> str:
    """The scope of a place and the beginning of its text: a name that survives edits elsewhere."""
    text = re.sub(r"\s+", " ", source.text(node))
    return f"{source.scope(node)}/{text[:_LONGEST_KEY].strip()}"
