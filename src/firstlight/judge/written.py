"""Where a setting is written: the number itself, behind variables, fields, options and defaults.

A rate that is wrong is seen where the optimizer is built, and is to be mended where it is written. It is followed only
as far as one single line can be meant; where several could be, the finding stays where it is.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

import msgspec

from firstlight.records.finding import Finding
from firstlight.records.source import SourceFile

SETTINGS = {"hp-lr-high": ("lr", "learning_rate"), "hp-lr-low": ("lr", "learning_rate")}
"""The arguments by which causes that lie in a setting are given."""
PEAK = "max_lr"
"""The argument of a cyclic schedule that takes the place of the optimizer's rate."""
DEEPEST = 4
"""Names that stand for other names."""


def written(findings: tuple[Finding, ...], facts: Iterable[Any]) -> tuple[Finding, ...]:
    """Findings about a setting, moved to the line on which its number stands."""
    sources = {fact.path: fact for fact in facts if isinstance(fact, SourceFile)}
    return tuple(_moved(finding, sources.get(finding.where.file or "")) for finding in findings)


def _moved(finding: Finding, source: SourceFile | None) -> Finding:
    names = SETTINGS.get(finding.cause, ())
    if source is None or not names or finding.where.line is None:
        return finding
    lines = {node.lineno for given in _given(source, finding.where.line, names) for node in _numbers(source, given)}
    if len(lines) != 1:
        return finding
    return msgspec.structs.replace(finding, where=msgspec.structs.replace(finding.where, line=lines.pop()))


def _given(source: SourceFile, line: int, names: tuple[str, ...]) -> list[ast.expr]:
    """The argument of the call on this line; where it has none, as in a framework's trainer, that of any call. A peak
    that a schedule gives comes before both."""
    calls = source.nodes(ast.Call)
    if peaks := [keyword.value for call in calls for keyword in call.keywords if keyword.arg == PEAK]:
        return peaks
    here = [call for call in calls if call.lineno <= line <= (call.end_lineno or call.lineno)]
    found = [keyword.value for call in here for keyword in call.keywords if keyword.arg in names]
    return found or [keyword.value for call in calls for keyword in call.keywords if keyword.arg in names]


def _numbers(source: SourceFile, given: ast.AST, depth: int = 0) -> Iterator[ast.Constant]:
    if _is_number(given):
        yield given
    elif depth < DEEPEST and (name := _name_of(given)):
        for value in _values_of(source, name):
            yield from _numbers(source, value, depth + 1)


def _is_number(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _name_of(node: ast.AST) -> str:
    """`lr`, `config.lr`, `options["lr"]` alike: what it is called where it is set."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return ""


def _values_of(source: SourceFile, name: str) -> Iterator[ast.AST]:
    """What a name is set to: by assignment, as a field, a default, an option of the command line, a key."""
    for node in source.nodes(ast.Assign):
        if any(_name_of(target) == name for target in node.targets):
            yield node.value
    for node in source.nodes(ast.AnnAssign):
        if _name_of(node.target) == name and node.value is not None:
            yield node.value
    for node in source.nodes(ast.FunctionDef):
        named = node.args.args[len(node.args.args) - len(node.args.defaults) :]
        yield from (value for one, value in zip(named, node.args.defaults, strict=True) if one.arg == name)
    for node in source.nodes(ast.Call):
        yield from _option(node, name)
    for node in source.nodes(ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name)


def _option(call: ast.Call, name: str) -> Iterator[ast.AST]:
    """`add_argument("--lr", default=…)`."""
    flags = [str(one.value).lstrip("-").replace("-", "_") for one in call.args if isinstance(one, ast.Constant)]
    if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument" and name in flags:
        yield from (keyword.value for keyword in call.keywords if keyword.arg == "default")
