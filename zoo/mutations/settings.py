"""The numbers that configure a training, followed to the place they are written at."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TypeGuard

from zoo.mutations.plant import Plant
from zoo.mutations.source import Source, argument, last_name
from zoo.mutations.training import training
from zoo.records import Planted, Site

Finder = Callable[[Source], Iterator[ast.Constant]]


def literals(values: Callable[[Source], Iterator[ast.expr]]) -> Finder:
    """Numbers written right where they are used."""
    return lambda source: (value for value in values(source) if is_number(value))


def constants(values: Callable[[Source], Iterator[ast.expr]]) -> Finder:
    """Numbers assigned to a name that is used: `LR = 1e-3`, `self.lr = 1e-3`."""

    def find(source: Source) -> Iterator[ast.Constant]:
        for name in _names(source, values):
            for item in source.walk(ast.Assign):
                if last_name(item.targets[0]) == name and is_number(item.value):
                    yield item.value

    return find


def fields(values: Callable[[Source], Iterator[ast.expr]]) -> Finder:
    """Numbers that are the default of a dataclass's field, or a keyword of the object that configures."""

    def find(source: Source) -> Iterator[ast.Constant]:
        for name in _names(source, values):
            for item in source.walk(ast.AnnAssign):
                if last_name(item.target) == name and item.value is not None and is_number(item.value):
                    yield item.value

    return find


def defaults(values: Callable[[Source], Iterator[ast.expr]]) -> Finder:
    """Numbers that are the default of a function's parameter."""

    def find(source: Source) -> Iterator[ast.Constant]:
        for name in _names(source, values):
            for function in source.walk(ast.FunctionDef):
                given = function.args.args[len(function.args.args) - len(function.args.defaults) :]
                for parameter, value in zip(given, function.args.defaults, strict=True):
                    if parameter.arg == name and is_number(value) and not _is_passed(source, function, name):
                        yield value

    return find


def options(values: Callable[[Source], Iterator[ast.expr]]) -> Finder:
    """Numbers that are the default of a command-line option the program's command does not give."""

    def find(source: Source) -> Iterator[ast.Constant]:
        for name in _names(source, values):
            for call in source.methods("add_argument"):
                flags = [item.value for item in call.args if isinstance(item, ast.Constant)]
                named = any(str(flag).lstrip("-").replace("-", "_") == name for flag in flags)
                value = argument(call, "default")
                if named and value is not None and is_number(value) and not set(flags) & set(source.program.command):
                    yield value

    return find


def config_edits(pattern: str, factor: float) -> Plant:
    """Multiply a number of a configuration file, under a key that fits the pattern."""

    def plant(source: Source) -> Iterator[Planted]:
        for path, text in sorted(source.program.files.items()):
            if not path.endswith((".json", ".toml", ".yaml", ".yml")):
                continue
            for match in re.finditer(rf"""["']?\b({pattern})["']?\s*[:=]\s*([0-9][0-9.e+-]*)""", text):
                changed = f"{text[: match.start(2)]}{float(match[2]) * factor:.6g}{text[match.end(2) :]}"
                line = text.count("\n", 0, match.start()) + 1
                yield Planted(Site(path, line, f"{path}/{match[1]}#0"), {path: changed}, line)

    return plant


def is_number(node: ast.AST) -> TypeGuard[ast.Constant]:
    """Whether a node is a number as it is written."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def loader_sizes(source: Source) -> Iterator[ast.expr]:
    """The batch sizes of the loaders that training runs over."""
    for call in source.walk(ast.Call):
        value = argument(call, "batch_size", 1) if source.meaning(call.func).endswith("DataLoader") else None
        if value is not None and "train" in source.text(source.statement(call)).lower():
            yield value


def batch_sizes(source: Source) -> Iterator[ast.expr]:
    """The batch sizes of loaders, and of slices and random draws of training examples."""
    yield from loader_sizes(source)
    for loop in training(source).loops:
        if (
            isinstance(loop, ast.For)
            and isinstance(loop.iter, ast.Call)
            and last_name(loop.iter) == "range"
            and len(loop.iter.args) > 2
        ):
            yield loop.iter.args[2]


def _names(source: Source, values: Callable[[Source], Iterator[ast.expr]]) -> list[str]:
    found = (value for value in values(source) if isinstance(value, ast.Name | ast.Attribute))
    return list(dict.fromkeys(last_name(value) for value in found))


def _is_passed(source: Source, function: ast.FunctionDef, name: str) -> bool:
    """Whether some call of a function gives the parameter itself."""
    place = [item.arg for item in function.args.args].index(name)
    owner = source.owner(function)
    called = owner.name if owner is not None and function.name == "__init__" else function.name
    calls = [call for call in source.walk(ast.Call) if last_name(call) == called]
    return any(argument(call, name, place - (owner is not None)) is not None for call in calls)
