"""A source file after it was read and followed: what each name holds, and which calls happen in which order.

Nothing here was run. A value says what is certain about a name at one moment; where two ways of getting there disagree
it says nothing.
"""

import ast
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from firstlight.records.places import Where


class Spot(msgspec.Struct, frozen=True):
    """A place in the text; `column` counts bytes from 0, as `ast` does."""

    file: str
    line: int
    column: int = 0

    @property
    def where(self) -> Where:
        return Where(file=self.file, line=self.line, column=self.column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Value(msgspec.Struct, frozen=True, kw_only=True):
    kind: str = "unknown"
    """unknown, const, tensor, layer, instance, optimizer, scheduler, scaler, loader, learner, list, tuple, dict, class,
    function, method, bound or symbol (something imported from outside)."""
    name: str = ""
    """The full dotted name of the class or function behind it."""
    key: str = ""
    """How the program calls it: two values with the same key in one trace are the same object."""
    made: Spot | None = None
    act: str = ""
    """The last activation of a tensor: softmax, sigmoid, log_softmax, …; `none` for the raw output of a linear one."""
    act_at: Spot | None = None
    cut: str = ""
    """The operation after which nothing of this value is connected to the model any more."""
    cut_at: Spot | None = None
    flags: frozenset[str] = frozenset()
    """output (of a model), loss, data (from a loader), floored (cannot be zero), number (no longer a tensor)."""
    items: tuple["Value", ...] = ()
    closed: bool = True
    """Whether `items` is all there is."""
    const: Any = None
    size: int | None = None
    """The last dimension of a tensor."""
    args: dict[str, "Value"] = {}
    """What it was constructed with, by keyword; by "0", "1", … where the position has no known name."""
    definition: Any = None

    def has(self, flag: str) -> bool:
        return flag in self.flags

    def literal(self, name: str) -> Any:
        """A constant it was constructed with, or None."""
        found = self.args.get(name)
        return found.const if found is not None and found.kind == "const" else None

    @property
    def is_none(self) -> bool:
        return self.kind == "const" and self.const is None


UNKNOWN = Value()
NONE = Value(kind="const", const=None)


class Loop(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    spot: Spot
    kind: str
    """`batches` (over a loader), `range`, `while` or `each`."""
    over: Value
    text: str
    """What it runs over, as written."""
    node: Any = None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happens, in the order in which it would."""

    spot: Spot
    node: Any
    loops: tuple[Loop, ...] = ()
    arms: tuple[tuple[int, int], ...] = ()
    """The branches it stands in: which `if`, which side."""
    guards: frozenset[str] = frozenset()
    """no_grad, autocast, try, eval_branch, … around it."""
    function: str = ""
    depth: int = 0
    """How many calls of the program's own functions lie between the trace's function and this."""

    def excludes(self, other: "Step") -> bool:
        """Whether the two stand on different sides of one `if`."""
        sides = dict(self.arms)
        return any(sides.get(branch, side) != side for branch, side in other.arms)

    def inside(self, loop: Loop) -> bool:
        return loop in self.loops


class Call(Step, frozen=True, kw_only=True):
    target: str
    """A full name (`torch.nn.functional.cross_entropy`), a role and a method (`optimizer.step`), or `.method`."""
    receiver: Value = UNKNOWN
    args: tuple[Value, ...] = ()
    keywords: dict[str, Value] = {}
    result: Value = UNKNOWN
    discarded: bool = False
    """The statement is the call alone."""
    opaque: bool = False
    """What it calls could not be followed."""

    def argument(self, position: int, name: str) -> Value | None:
        if name in self.keywords:
            return self.keywords[name]
        return self.args[position] if position < len(self.args) else None


class Assignment(Step, frozen=True, kw_only=True):
    target: str
    value: Value
    operator: str = ""
    """`+` for `+=`."""
    owner: Value = UNKNOWN
    """Of an attribute: what it is an attribute of."""


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """What happens when one function, or the file itself, is run."""

    function: str
    steps: tuple[Call | Assignment, ...]
    by_target: dict[str, list[tuple[int, Call]]] = {}
    """The calls, each with its place among the steps."""

    def calls(self, *targets: str) -> list[Call]:
        """All calls, or those of these targets, in order."""
        if not targets:
            return [step for step in self.steps if isinstance(step, Call)]
        found = [pair for target in targets for pair in self.by_target.get(target, ())]
        return [call for _, call in sorted(found, key=lambda pair: pair[0])]

    def within(self, loop: Loop) -> list[Call | Assignment]:
        return [step for step in self.steps if loop in step.loops]


def trace_of(function: str, steps: Iterable[Call | Assignment]) -> Trace:
    taken = tuple(steps)
    by_target: dict[str, list[tuple[int, Call]]] = {}
    for index, step in enumerate(taken):
        if isinstance(step, Call):
            by_target.setdefault(step.target, []).append((index, step))
    return Trace(function=function, steps=taken, by_target=by_target)


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why a file could not be read."""

    line: int
    what: str


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file, or one notebook with its cells in a row."""

    path: str
    lines: tuple[str, ...] = ()
    by_kind: dict[type[ast.AST], list[Any]] = {}
    """Every node of the syntax tree, by its type."""
    traces: tuple[Trace, ...] = ()
    imports: frozenset[str] = frozenset()
    """The packages it imports, by first name."""
    names: dict[str, str] = {}
    """Imported names and what they stand for."""
    problem: Problem | None = None
    cut: str = ""
    """Why only a part of it was followed; empty where all of it was."""
    notebook: bool = False

    def full_name(self, node: ast.AST) -> str:
        """`F.softmax` as `torch.nn.functional.softmax`; empty where it is not an imported name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.names:
            return ""
        return ".".join([self.names[node.id], *reversed(parts)])

    def says(self, words: "re.Pattern[str]") -> bool:
        """Cheap, and asked before anything that is not."""
        return any(words.search(line) for line in self.lines)

    def spot(self, node: ast.AST) -> Spot:
        return Spot(self.path, getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def nodes(self, *kinds: type[ast.AST]) -> list[Any]:
        return [node for kind in kinds for node in self.by_kind.get(kind, ())]


class TrainingLoop(msgspec.Struct, frozen=True, kw_only=True):
    """A loop in which gradients are computed, and what is done with them there."""

    loop: Loop
    steps: tuple[Call | Assignment, ...]
    """All that happens in it, in order."""
    around: tuple[Call | Assignment, ...]
    """All that happens in the function and its loops, in order."""
    backwards: tuple[Call, ...] = ()
    updates: tuple[Call, ...] = ()
    """`optimizer.step()` and `scaler.step(optimizer)`."""
    clears: tuple[Call | Assignment, ...] = ()
    clips: tuple[Call, ...] = ()
    unscales: tuple[Call, ...] = ()
    hidden: tuple[Call, ...] = ()
    """Calls that could not be followed and may do any of these."""

    def last_before(self, step: Step, events: Iterable[Call | Assignment]) -> Call | Assignment | None:
        """The one of `events` that comes last before `step`, the end of the loop coming before its beginning."""
        order = {id(each): index for index, each in enumerate(self.steps)}
        here = order[id(step)]
        before = [
            (order[id(each)] - here) % len(order) for each in events if each is not step and not each.excludes(step)
        ]
        found = [each for each in events if each is not step and not each.excludes(step)]
        return max(zip(before, found, strict=True), key=lambda pair: pair[0])[1] if found else None

    def optimizers(self) -> dict[str, list[Call]]:
        """The updates, by the name of the optimizer."""
        named: dict[str, list[Call]] = {}
        for update in self.updates:
            named.setdefault(updated(update).key, []).append(update)
        return named


def updated(update: Call) -> Value:
    """The optimizer of `optimizer.step()` or `scaler.step(optimizer)`."""
    if update.target == "scaler.step":
        return update.args[0] if update.args else UNKNOWN
    return update.receiver


class LossUse(msgspec.Struct, frozen=True, kw_only=True):
    """A call of one of torch's loss functions."""

    function: str
    call: Call
    prediction: Value
    target: Value
    trains: bool
    """What it returns is, or may be, what `backward` is called on."""

    @property
    def shown(self) -> str:
        """The loss as the program names it."""
        return self.call.receiver.name.rpartition(".")[2] or self.function


class Bootstrap(msgspec.Struct, frozen=True, kw_only=True):
    """A target made of a reward and the discounted value that a network gives to what comes next."""

    spot: Spot
    network: str
    given: str
    """What the network is asked about, as written."""
    instead_of: str
    """The next state, where the network is asked about the very state that a prediction is made for."""
    ends_stored: bool
    """The program keeps with each transition whether the episode ended."""
    ends_used: bool
    """The function reads that, under any of its usual names."""
    carries_gradient: bool
    """The network is being trained here, and its value of the next state is not cut from the graph."""


class Triplet(msgspec.Struct, frozen=True, kw_only=True):
    """A loss of how near a positive is, how near a negative is, and a margin."""

    spot: Spot
    similar: bool
    """Nearness is a similarity; else a distance."""
    adds: str
    """`positive` or `negative`: the one whose nearness is added, the other's is taken away."""
    to: str
    """The function that makes a loss of it."""
