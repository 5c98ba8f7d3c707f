"""Puts a question and a change together: a mutation plants the change wherever the question finds a place."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

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
Member = TypeVar("Member", bound=ast.AST)
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
            fault, line = edits[0], _first_line(edits[0])
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


@dataclass(frozen=True, slots=True)
class Group(Generic[Member]):
    """Places of a program that do the same, and are changed together."""

    node: Member
    members: tuple[Member, ...]


def at_all(find: Callable[[Source], Iterable[Member]], change: Callable[[Source, Member], list[Edit]]) -> Plant:
    """Make a change at all that is found, as one fault; where one place refuses, at none."""

    def together(source: Source) -> Iterator[Group[Member]]:
        members = tuple(find(source))
        if members:
            yield Group(members[0], members)

    def each(source: Source, group: Group[Member]) -> list[Edit]:
        changes = [change(source, member) for member in group.members]
        return [one for edits in changes for one in edits] if all(changes) else []

    return at(together, each)


def _first_line(fault: Edit) -> int:
    """The first line an edit changes: a stretch of several lines may begin as it was."""
    old = fault.file.text[fault.start : fault.end]
    kept = next(
        (place for place, pair in enumerate(zip(old, fault.text, strict=False)) if len(set(pair)) > 1), len(old)
    )
    return fault.file.text.count("\n", 0, fault.start + kept) + 1


def _key(source: Source, node: ast.AST) -> str:
    """The scope of a place and the beginning of its text: a name that survives edits elsewhere."""
    text = re.sub(r"\s+", " ", source.text(node))
    return f"{source.scope(node)}/{text[:_LONGEST_KEY].strip()}"
