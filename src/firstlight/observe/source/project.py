"""The modules of the program being read, and how their imports lead to one another on disk."""

import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firstlight.errors import UnreadableError
from firstlight.observe.source.reading import LARGEST_BYTES, read
from firstlight.observe.source.vocabulary import FOLLOWED
from firstlight.records.source import Value
from firstlight.store import plain_files

NEVER_LOCAL = sys.stdlib_module_names | {"torch", "numpy", "pandas", "sklearn", "matplotlib", "torchvision", "tqdm"}
"""Not looked for on disk; everything else may be a folder of the program."""

USUAL = {"nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim", "torch": "torch", "np": "numpy"}
"""What names stand for that a snippet uses without importing them."""
MOST_REEXPORTS = 4
"""Modules a name is followed through before it is given up."""


@dataclass(slots=True, eq=False)
class Function:
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    module: "Module"
    name: str
    owner: "Class | None" = None
    closure: dict[str, Value] | None = None
    words: frozenset[str] = frozenset()
    followed: bool = True
    """Whether it, or what it calls in its module, mentions something a check looks for."""


@dataclass(slots=True, eq=False)
class Class:
    node: ast.ClassDef
    module: "Module"
    name: str
    methods: dict[str, Function] = field(default_factory=dict)
    assigned: dict[str, list[tuple[Function, ast.expr]]] = field(default_factory=dict)
    """What its methods assign to attributes of `self`."""


@dataclass(slots=True, eq=False)
class Module:
    path: Path
    shown: str
    tree: ast.Module
    folder: str
    lines: tuple[str, ...] = ()
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """Imported names, as full dotted names; a leading dot for each level of a relative import."""
    assigned: dict[str, ast.stmt] = field(default_factory=dict)
    """Names the top level assigns exactly once, and where."""
    globals: dict[str, Value] = field(default_factory=dict)
    """What those names hold, as far as anybody asked."""


def build(path: Path, shown: str, tree: ast.Module, text: str) -> Module:
    module = Module(path=path, shown=shown, tree=tree, folder=str(path.parent), lines=tuple(text.split("\n")))
    for node in tree.body:
        _declare(module, node)
    _collect_assigned(module)
    for inner in ast.walk(tree):
        if isinstance(inner, ast.Import | ast.ImportFrom):
            for name, full in imported(inner).items():
                module.names.setdefault(name, full)
    module.names.update(_usual(tree, module.names))
    _mark_followed(module)
    return module


def _usual(tree: ast.Module, imported: Mapping[str, str]) -> dict[str, str]:
    """Names that are used and bound nowhere, as in a snippet without its head: what they usually stand for."""
    used: set[str] = set()
    bound = set(imported)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            return {}
    return {name: full for name, full in USUAL.items() if name in used - bound}


def _declare(module: Module, node: ast.stmt) -> None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        module.functions[node.name] = function_of(node, module)
    elif isinstance(node, ast.ClassDef):
        module.classes[node.name] = class_of(node, module)
    elif isinstance(node, ast.If | ast.Try):
        for inner in node.body:
            _declare(module, inner)


def _collect_assigned(module: Module) -> None:
    repeated = set()
    for node in module.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else ()
        for target in targets:
            if isinstance(target, ast.Name):
                repeated |= {target.id} if target.id in module.assigned else set()
                module.assigned[target.id] = node
    for name in repeated:
        del module.assigned[name]


def class_of(node: ast.ClassDef, module: Module) -> Class:
    found = Class(node, module, node.name)
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            found.methods[inner.name] = function_of(inner, module, found)
    return found


def function_of(node: Any, module: Module, owner: Class | None = None) -> Function:
    name = getattr(node, "name", "<lambda>")
    function = Function(node, module, f"{owner.name}.{name}" if owner else name, owner)
    words: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute):
            words.add(inner.attr)
        elif isinstance(inner, ast.Name):
            words.add(inner.id)
        elif isinstance(inner, ast.Assign) and owner is not None:
            for target in inner.targets:
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id == "self"
                ):
                    owner.assigned.setdefault(target.attr, []).append((function, inner.value))
    function.words = frozenset(words)
    return function


def _mark_followed(module: Module) -> None:
    everything = [*module.functions.values(), *(m for c in module.classes.values() for m in c.methods.values())]
    known: dict[str, bool] = {}
    for function in everything:
        for word in function.words - known.keys():
            known[word] = FOLLOWED.match(word) is not None
        function.followed = any(known[word] for word in function.words)
    names = {function.name.rpartition(".")[2] for function in everything if function.followed}
    for function in everything:
        function.followed = function.followed or bool(function.words & (names - {"forward", "__init__"}))


def imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    if isinstance(node, ast.Import):
        return {
            (alias.asname or alias.name.partition(".")[0]): (
                alias.name if alias.asname else alias.name.partition(".")[0]
            )
            for alias in node.names
        }
    origin = "." * node.level + (node.module or "")
    joint = "" if origin.endswith(".") or not origin else "."
    return {alias.asname or alias.name: f"{origin}{joint}{alias.name}" for alias in node.names if alias.name != "*"}


class Project:
    """Finds modules by name, each read once. Remembers which files an answer rested on, the absent ones included."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._modules: dict[Path, Module | None] = {}
        self._resolved: dict[tuple[Path, str], tuple[Path | None, tuple[Path, ...]]] = {}
        self._symbols: dict[tuple[str, str], tuple[Class | Function | Module | None, frozenset[Path]]] = {}
        self._looked: list[Path] = []
        self._told: set[tuple[str, str]] = set()
        self.asked: set[Path] = set()
        """Files looked for since `begin`."""

    def begin(self) -> None:
        """From here on, `asked` is about another file."""
        self.asked.clear()
        self._told.clear()

    def add(self, module: Module) -> None:
        self._modules[module.path] = module

    def lines(self, label: str) -> tuple[str, ...]:
        """Of a module that was read, by the name it is shown under."""
        return next((m.lines for m in self._modules.values() if m is not None and m.shown == label), ())

    def symbol(self, home: Module, full: str) -> Class | Function | Module | None:
        """The class, function or module of the program that a full name stands for, seen from `home`."""
        if full.partition(".")[0] in NEVER_LOCAL:
            return None
        key = (home.folder, full)
        if key not in self._symbols:
            before, self.asked = self.asked, set()
            found = self._symbol(home, full, 0)
            self._symbols[key] = (found, frozenset(self.asked))
            self.asked = before
        found, asked = self._symbols[key]
        if key not in self._told:
            self._told.add(key)
            self.asked |= asked
        return found

    def _symbol(self, home: Module, full: str, depth: int) -> Class | Function | Module | None:
        if depth > MOST_REEXPORTS:
            return None
        whole = self.module(home, full)
        if whole is not None:
            return whole
        origin, _, name = full.rpartition(".")
        if not origin.strip("."):
            origin = "." * (len(full) - len(full.lstrip(".")))
        module = self.module(home, origin) if origin else None
        if module is None:
            return None
        found = module.classes.get(name) or module.functions.get(name)
        if found is None and name in module.names:
            return self._symbol(module, module.names[name], depth + 1)
        return found

    def module(self, home: Module, full: str) -> Module | None:
        place = (home.path.parent, full)
        if place not in self._resolved:
            self._looked = []
            self._resolved[place] = (self._find(home, full), tuple(self._looked))
        path, looked = self._resolved[place]
        self.asked.update(looked)
        return None if path is None else self._load(path)

    def _find(self, home: Module, full: str) -> Path | None:
        if full.partition(".")[0] in NEVER_LOCAL:
            return None
        level = len(full) - len(full.lstrip("."))
        parts = [part for part in full.lstrip(".").split(".") if part]
        folder = home.path.parent
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return self._below(folder, parts)
        while parts:
            found = self._below(folder, parts)
            if found is not None:
                return found
            if folder in (self._root, folder.parent) or self._root not in folder.parents:
                return None
            folder = folder.parent
        return None

    def _below(self, folder: Path, parts: list[str]) -> Path | None:
        base = folder.joinpath(*parts)
        candidates = [base / "__init__.py"] if not parts else [base.with_suffix(".py"), base / "__init__.py"]
        for path in candidates:
            self._looked.append(path)
            if path.is_file():
                return path
        return None

    def _load(self, path: Path) -> Module | None:
        if path not in self._modules:
            try:
                parsed = read(plain_files.contents(path, LARGEST_BYTES, follow=True))
            except UnreadableError:
                parsed = None
            usable = parsed is not None and parsed.tree is not None
            self._modules[path] = (
                build(path, shown(path, self._root), parsed.tree, parsed.text)  # type: ignore[union-attr, arg-type]  # usable
                if usable
                else None
            )
        return self._modules[path]


def shown(path: Path, base: Path) -> str:
    return path.relative_to(base).as_posix() if base in path.parents else str(path)
