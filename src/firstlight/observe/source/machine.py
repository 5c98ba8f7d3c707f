"""The state of following one program: where we are, what has happened, and how much further to go."""

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from firstlight.observe.source.project import Class, Function, Module, Project
from firstlight.observe.source.values import join
from firstlight.records.source import NONE, UNKNOWN, Assignment, Call, Loop, Spot, Value

BUILTINS = frozenset(dir(builtins))
HOLDING = re.compile(r"Linear|Conv|Norm|LSTM|GRU|RNN|Embedding|Attention|Transformer|PReLU|torchvision\.models")
"""Layers of torch that have parameters."""
DEEPEST = 7
"""Calls of the program's own functions followed one inside another."""
MOST_STATEMENTS = 6_000
"""From one entry; beyond it, calls are no longer followed."""
MOST_STATEMENTS_PER_FILE = 30_000


Given = tuple[tuple[Value, ...], dict[str, Value]]
"""The arguments of a call."""


class Thing:
    """An object of a class of the program: what its attributes hold."""

    __slots__ = ("attributes", "is_module", "kind")

    def __init__(self, kind: Class | None, is_module: bool) -> None:
        self.kind = kind
        self.is_module = is_module
        self.attributes: dict[str, Value] = {}

    @property
    def holds_parameters(self) -> bool:
        """Whether anything in it is to be trained by somebody else: it has parameters, and no optimizer of its own."""
        held = list(self.attributes.values())
        if not self.is_module or any(value.kind == "optimizer" for value in held):
            return False
        return any(_is_trained(value) for value in held)


def _is_trained(value: Value) -> bool:
    if value.kind == "instance":
        return bool(value.definition.holds_parameters)
    if value.items and value.kind in ("layer", "list"):
        return any(_is_trained(item) for item in value.items)
    return value.kind == "parameter" or (value.kind == "layer" and HOLDING.search(value.name) is not None)


@dataclass(slots=True)
class Frame:
    """One call of a function, or the file's own top level."""

    module: Module
    env: dict[str, Value]
    function: str
    owner: Class | None = None
    outer: dict[str, Value] | None = None
    returns: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Machine:
    project: Project
    run: Callable[["Machine", Frame, list[ast.stmt]], bool]
    evaluate: Callable[["Machine", Frame, ast.expr], Value]
    steps: list[Call | Assignment] = field(default_factory=list)
    recording: bool = True
    statements: int = 0
    begun: int = 0
    """How many statements there had been when the current entry began."""
    loops: tuple[Loop, ...] = ()
    arms: tuple[tuple[int, int], ...] = ()
    guards: frozenset[str] = frozenset()
    active: list[Function] = field(default_factory=list)
    covered: set[Function] = field(default_factory=set)
    memory: dict[Any, Any] = field(default_factory=dict)
    entered: int = 0
    """1 inside a function the trace begins with, 0 at the file's top level."""

    @property
    def exhausted(self) -> bool:
        return self.statements - self.begun > MOST_STATEMENTS or self.spent

    @property
    def spent(self) -> bool:
        """Nothing more of the file is followed."""
        return self.statements > MOST_STATEMENTS_PER_FILE

    def may_follow(self, function: Function) -> bool:
        return len(self.active) < DEEPEST and not self.exhausted and function not in self.active

    def spot(self, frame: Frame, node: ast.AST) -> Spot:
        return Spot(frame.module.shown, getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def note(self, frame: Frame, kind: type[Call] | type[Assignment], node: ast.AST, **told: Any) -> None:
        if self.recording:
            self.steps.append(
                kind(
                    spot=self.spot(frame, node),
                    node=node,
                    loops=self.loops,
                    arms=self.arms,
                    guards=self.guards,
                    function=frame.function,
                    depth=len(self.active) - self.entered,
                    **told,
                )
            )

    @contextmanager
    def looping(self, loop: Loop) -> Iterator[None]:
        before, self.loops = self.loops, (*self.loops, loop)
        try:
            yield
        finally:
            self.loops = before

    @contextmanager
    def arm(self, node: ast.AST, side: int) -> Iterator[None]:
        before, self.arms = self.arms, (*self.arms, (id(node), side))
        try:
            yield
        finally:
            self.arms = before

    @contextmanager
    def guarded(self, *guards: str) -> Iterator[None]:
        before, self.guards = self.guards, self.guards | frozenset(guards)
        try:
            yield
        finally:
            self.guards = before

    @contextmanager
    def unrecorded(self, quiet: bool = True) -> Iterator[None]:
        before, self.recording = self.recording, self.recording and not quiet
        try:
            yield
        finally:
            self.recording = before


def lookup(machine: Machine, frame: Frame, name: str) -> Value:
    if name in frame.env:
        return frame.env[name]
    if frame.outer is not None and name in frame.outer:
        return frame.outer[name]
    module = frame.module
    if name in module.functions:
        return Value(kind="function", name=name, definition=module.functions[name])
    if name in module.classes:
        return Value(kind="class", name=name, definition=module.classes[name])
    if name in module.names:
        return symbol(machine, module, module.names[name])
    if name not in module.globals and name in module.assigned:
        module.globals[name] = UNKNOWN
        with machine.unrecorded():
            machine.run(machine, Frame(module, module.globals, ""), [module.assigned[name]])
    if name in module.globals:
        return module.globals[name]
    return Value(kind="symbol", name=name) if name in BUILTINS else UNKNOWN


def symbol(machine: Machine, home: Module, full: str) -> Value:
    """What an imported full name stands for: something of the program, or something from outside."""
    found = machine.project.symbol(home, full)
    if isinstance(found, Function):
        return Value(kind="function", name=found.name, definition=found)
    if isinstance(found, Class):
        return Value(kind="class", name=found.name, definition=found)
    if isinstance(found, Module):
        return Value(kind="module", name=full, definition=found)
    return Value(kind="symbol", name=full.lstrip("."))


def bases(machine: Machine, kind: Class, depth: int = 0) -> Iterator[Class | str]:
    """Its ancestors, nearest first; a name for those that come from outside the program."""
    for node in kind.node.bases if depth < DEEPEST else ():
        value = dotted(machine, kind.module, node)
        if isinstance(value, Class):
            yield value
            yield from bases(machine, value, depth + 1)
        elif value:
            yield value


def dotted(machine: Machine, module: Module, node: ast.AST) -> Class | str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return "?"
    if not parts and node.id in module.classes:
        return module.classes[node.id]
    if node.id not in module.names:
        return ".".join([node.id, *reversed(parts)])
    full = ".".join([module.names[node.id], *reversed(parts)])
    found = machine.project.symbol(module, full)
    return found if isinstance(found, Class) else full.lstrip(".")


def is_torch_module(machine: Machine, kind: Class) -> bool:
    if kind not in machine.memory:
        names = [base for base in bases(machine, kind) if isinstance(base, str)]
        machine.memory[kind] = any(
            name == "torch.nn.Module"
            or name.startswith("torch.nn.")
            or name.endswith(("LightningModule", "PreTrainedModel", "nn.Module"))
            for name in names
        )
    return bool(machine.memory[kind])


def method_of(machine: Machine, kind: Class, name: str, above: bool = False) -> Function | None:
    """As Python would find it; with `above`, as `super()` would."""
    if not above and name in kind.methods:
        return kind.methods[name]
    found = (base.methods[name] for base in bases(machine, kind) if isinstance(base, Class) and name in base.methods)
    return next(found, None)


def assign_attribute(machine: Machine, thing: Thing, name: str, value: Value) -> None:
    """What is assigned on one side of an `if` only may still be what it was before."""
    before = thing.attributes.get(name, NONE)
    thing.attributes[name] = join(before, value) if machine.arms else value
