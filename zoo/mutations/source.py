"""A program's files, parsed once, with the way from every node to its surroundings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from zoo.records import Program

Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Loop = ast.For | ast.While

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.For, ast.While)
COMPOUND = (*FUNCTIONS[:2], *LOOPS, ast.ClassDef, ast.If, ast.With, ast.Try, ast.Match)


@dataclass(frozen=True, eq=False)
class File:
    """One Python file of a program."""

    path: str
    text: str
    tree: ast.Module = field(repr=False)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of the first character of every line."""
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def offset(self, line: int, column: int) -> int:
        """The offset in the text of a position of a syntax tree, whose columns count bytes."""
        start = self.line_starts[line - 1]
        written = self.text[start : self.line_starts[line]] if line < len(self.line_starts) else self.text[start:]
        return start + len(written.encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The first offset of a node and the one behind it."""
        end_line, end_column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        assert end_line is not None
        assert end_column is not None
        return self.offset(_line(node), getattr(node, "col_offset", 0)), self.offset(end_line, end_column)

    @cached_property
    def imports(self) -> dict[str, str]:
        """What each imported name stands for: `{"F": "torch.nn.functional"}`."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    short = alias.name.split(".")[0]
                    found[alias.asname or short] = alias.name if alias.asname else short
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        return found


class Source:
    """All Python files of a program. Nodes are compared by identity; each knows its file and its parent."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.files = tuple(_parsed(program))
        self._home: dict[ast.AST, File] = {}
        self._parents: dict[ast.AST, ast.AST] = {}
        self._by_kind: dict[type[ast.AST], list[ast.AST]] = {}
        for file in self.files:
            for node in inside(file.tree, ast.AST):
                self._home[node] = file
                for child in ast.iter_child_nodes(node):
                    self._parents[child] = node

    def walk(self, kind: type[Node]) -> Iterator[Node]:
        """Every node of a kind, in the order it is written."""
        if kind not in self._by_kind:
            self._by_kind[kind] = [node for node in self._home if isinstance(node, kind)]
        return iter(self._by_kind[kind])  # type: ignore[arg-type]  # the list of a kind holds that kind alone

    def file(self, node: ast.AST) -> File:
        """The file a node is written in."""
        return self._home[node]

    def text(self, node: ast.AST) -> str:
        """A node as it is written."""
        start, end = self.file(node).span(node)
        return self.file(node).text[start:end]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around this one."""
        return self._parents.get(node)

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around this one, from the nearest."""
        parent = self.parent(node)
        while parent is not None:
            yield parent
            parent = self.parent(parent)

    def function(self, node: ast.AST) -> Function | None:
        """The function a node stands in."""
        return next((item for item in self.above(node) if isinstance(item, FUNCTIONS)), None)

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class a node stands in."""
        return next((item for item in self.above(node) if isinstance(item, ast.ClassDef)), None)

    def loop(self, node: ast.AST) -> Loop | None:
        """The nearest loop around a node in the same function."""
        for item in self.above(node):
            if isinstance(item, LOOPS):
                return item
            if isinstance(item, FUNCTIONS):
                return None
        return None

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement a node is part of."""
        if isinstance(node, ast.stmt):
            return node
        return next(item for item in self.above(node) if isinstance(item, ast.stmt))

    def siblings(self, statement: ast.stmt) -> list[ast.stmt]:
        """The block a statement stands in."""
        parent = self._parents[statement]
        blocks = (getattr(parent, name, None) for name in ("body", "orelse", "finalbody"))
        return next((block for block in blocks if isinstance(block, list) and statement in block), [statement])

    def scope(self, node: ast.AST) -> str:
        """The dotted name of what a node stands in, `module` at the top of a file."""
        names = [item.name for item in self.above(node) if isinstance(item, ast.ClassDef | ast.FunctionDef)]
        return ".".join(reversed(names)) or "module"

    def meaning(self, node: ast.AST) -> str:
        """The full dotted name of a reference: `torch.nn.functional.softmax` for `F.softmax`."""
        dotted = dotted_name(node)
        first, _, rest = dotted.partition(".")
        known = self.file(node).imports.get(first, first) if dotted else ""
        return f"{known}.{rest}" if rest else known

    def calls(self, *meanings: str) -> Iterator[ast.Call]:
        """The calls of any of these, by full dotted name."""
        return (call for call in self.walk(ast.Call) if self.meaning(call.func) in meanings)

    def methods(self, *names: str) -> Iterator[ast.Call]:
        """The calls of a method of one of these names, on whatever object."""
        return (
            call for call in self.walk(ast.Call) if isinstance(call.func, ast.Attribute) and call.func.attr in names
        )

    @cached_property
    def functions(self) -> dict[str, list[ast.FunctionDef]]:
        """The functions and methods a program defines, by name."""
        found: dict[str, list[ast.FunctionDef]] = {}
        for node in self.walk(ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes a program defines, by name."""
        return {node.name: node for node in self.walk(ast.ClassDef)}


def inside(node: ast.AST, kind: type[Node]) -> Iterator[Node]:
    """Every node of a kind in this one, itself included, in the order it is written."""
    todo = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, kind):
            yield item
        todo.extend(reversed(list(ast.iter_child_nodes(item))))


def dotted_name(node: ast.AST) -> str:
    """`a.b.c` of a chain of names, and nothing of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted_name(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def last_name(node: ast.AST | None) -> str:
    """The last name of a reference or of what is called: `optimizer` for `self.optimizer`."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The argument of this name, or at this position."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        return call.args[position]
    return None


def _parsed(program: Program) -> Iterator[File]:
    for path, text in sorted(program.files.items()):
        if path.endswith(".py"):
            yield File(path, text, ast.parse(text))


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))
