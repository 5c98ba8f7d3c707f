"""Edits of a program's text by node, that keep every other line as it is and where it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from zoo.mutations.source import COMPOUND, File, Source

_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.ListComp, ast.Dict)
# Modules a template may name in full; they are written as the file at hand has imported them.
_MODULES = re.compile(r"(?<![\w.])(torch\.nn\.functional|torch\.nn|torch|numpy)\.(?=\w)")
_ADDED = ("copy", "contextlib", "math")


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a file and the text that replaces it; the text has as many line ends as the stretch."""

    file: File
    start: int
    end: int
    text: str


def replace(source: Source, node: ast.AST, text: str) -> list[Edit]:
    """Write another expression in place of this one, on the same lines."""
    old = source.text(node)
    missing = old.count("\n") - text.count("\n")
    if missing < 0:
        return []
    if missing:
        text = f"({text}" + "\n" * missing + ")"
    return _localised(source, node, text, source.file(node).span(node))


def wrap(source: Source, node: ast.AST, template: str) -> list[Edit]:
    """Write an expression around this one, which stands in the template as `{}`."""
    return replace(source, node, template.replace("{}", written(source, node)))


def written(source: Source, node: ast.AST) -> str:
    """A node as it is written, in parentheses where it needs them to be part of something."""
    text = source.text(node)
    return text if isinstance(node, _ATOMS) else f"({text})"


def remove(source: Source, statement: ast.stmt) -> list[Edit]:
    """Leave a simple statement out: `pass` stands in its place."""
    if isinstance(statement, COMPOUND):
        return []
    start, end = source.file(statement).span(statement)
    text = "pass" + "\n" * source.text(statement).count("\n")
    return [Edit(source.file(statement), start, end, text)]


def rewrite(source: Source, statement: ast.stmt, text: str) -> list[Edit]:
    """Write other statements in the place of a simple one of one line."""
    if isinstance(statement, COMPOUND) or "\n" in source.text(statement):
        return []
    return _localised(source, statement, text, source.file(statement).span(statement))


def after(source: Source, statement: ast.stmt, text: str) -> list[Edit]:
    """Write a statement behind a simple one, at the end of its line."""
    if isinstance(statement, COMPOUND):
        return []
    _, end = source.file(statement).span(statement)
    return _localised(source, statement, f"; {text}", (end, end))


def before(source: Source, statement: ast.stmt, text: str) -> list[Edit]:
    """Write a statement before another: on its line, or at the end of the one before a compound statement."""
    if not isinstance(statement, COMPOUND):
        start, _ = source.file(statement).span(statement)
        return _localised(source, statement, f"{text}; ", (start, start))
    block = source.siblings(statement)
    place = block.index(statement) if statement in block else 0
    return after(source, block[place - 1], text) if place else []


def at_start(source: Source, block: list[ast.stmt], text: str) -> list[Edit]:
    """Write a statement as the first of a block, behind its docstring."""
    first = block[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return after(source, first, text)
    return before(source, first, text)


def applied(edits: Iterable[Edit]) -> dict[str, str]:
    """The new texts of the files these edits change; nothing where they overlap or make no program."""
    texts: dict[str, str] = {}
    ordered = sorted(edits, key=lambda edit: (edit.file.path, -edit.end, -edit.start))
    for edit, following in zip(ordered, [None, *ordered], strict=False):
        if following and following.file is edit.file and edit.end > following.start:
            return {}
        text = texts.get(edit.file.path, edit.file.text)
        texts[edit.file.path] = text[: edit.start] + edit.text + text[edit.end :]
    changed = {edit.file.path: edit.file.text for edit in ordered}
    if any(texts[path] == text or not _is_program(path, texts[path]) for path, text in changed.items()):
        return {}
    return texts


def _is_program(path: str, text: str) -> bool:
    if not path.endswith(".py"):
        return True
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _localised(source: Source, node: ast.AST, text: str, span: tuple[int, int]) -> list[Edit]:
    """The edit with modules as this file has imported them, and the imports it still needs."""
    file = source.file(node)
    names = {meaning: name for name, meaning in file.imports.items()}
    if any(not _spelled(match[1], names) for match in _MODULES.finditer(text)):
        return []
    text = _MODULES.sub(lambda match: f"{_spelled(match[1], names)}.", text)
    added = [module for module in _ADDED if re.search(rf"(?<![\w.]){module}\.", text) and module not in file.imports]
    return [Edit(file, *span, text), *(edit for module in added for edit in _imported(file, module))]


def _spelled(module: str, names: dict[str, str]) -> str:
    head, _, tail = module.rpartition(".")
    if module in names:
        return names[module]
    above = _spelled(head, names) if head else ""
    return f"{above}.{tail}" if above else ""


def _imported(file: File, module: str) -> list[Edit]:
    """`import copy` at the end of the file's first import."""
    for statement in file.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom) and getattr(statement, "module", "") != "__future__":
            _, end = file.span(statement)
            return [Edit(file, end, end, f"; import {module}")]
    return []
