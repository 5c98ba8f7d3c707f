"""One file followed from every place it can be entered: its top level, and each function nothing else led to."""

import ast
import re
from pathlib import Path

from firstlight.observe.source import statements
from firstlight.observe.source.calling import build, follow
from firstlight.observe.source.expressions import evaluate
from firstlight.observe.source.machine import MOST_STATEMENTS_PER_FILE, Frame, Machine
from firstlight.observe.source.project import Function, Module, Project, shown
from firstlight.observe.source.project import build as build_module
from firstlight.observe.source.reading import Parsed, read
from firstlight.records.source import Problem, SourceFile, Trace, Value, trace_of

ABOUT_TRAINING = re.compile(rb"torch|sklearn|lightning|transformers|accelerate|numpy|pandas|\bnn\.|\boptim\.")
"""A file with none of these words uses nothing any check knows."""


def source_file(path: Path, base: Path, data: bytes, project: Project) -> tuple[SourceFile, Parsed]:
    """Reads and follows one file. What it contains is never run, and nothing it contains raises."""
    label = shown(path.resolve(), base)
    parsed = read(data, notebook=path.suffix == ".ipynb")
    if parsed.tree is None:
        return SourceFile(path=label, problem=parsed.problem), parsed
    if not ABOUT_TRAINING.search(data):
        return SourceFile(path=label), parsed
    try:
        module = build_module(path.resolve(), label, parsed.tree, parsed.text)
        project.add(module)
        machine = Machine(project=project, run=statements.run, evaluate=evaluate)
        traces = tuple(_traces(module, machine))
    except RecursionError:
        return SourceFile(path=label, problem=Problem(line=1, what="it is nested too deeply to be followed")), parsed
    names = {name: full.lstrip(".") for name, full in module.names.items()}
    return SourceFile(
        path=label,
        lines=tuple(parsed.text.split("\n")),
        by_kind=_by_kind(parsed.tree),
        traces=traces,
        imports=frozenset(full.partition(".")[0] for full in names.values()),
        names=names,
        cut=f"only the first {MOST_STATEMENTS_PER_FILE} statements were followed" if machine.spent else "",
        notebook=path.suffix == ".ipynb",
    ), parsed


def _traces(module: Module, machine: Machine) -> list[Trace]:
    top = Frame(module, {}, "")
    statements.run(machine, top, module.tree.body)
    module.globals = top.env
    traces = [_taken(machine, "")]
    waiting = [*module.functions.values(), *(m for c in module.classes.values() for m in c.methods.values())]
    called = frozenset().union(*(function.words for function in waiting)) if waiting else frozenset()
    for entries_only in (True, False):
        for function in waiting:
            last = function.name.rpartition(".")[2]
            if function in machine.covered or (entries_only and last in called and last != "forward"):
                continue
            _enter(machine, top, function)
            traces.append(_taken(machine, function.name))
    module.globals = {}  # whoever imports this module must not depend on whether it was followed before
    return [trace for trace in traces if trace.steps]


def _enter(machine: Machine, frame: Frame, function: Function) -> None:
    machine.covered.add(function)
    args: tuple[Value, ...] = ()
    machine.begun = machine.statements
    followed, function.followed = function.followed, True
    if function.owner is not None and not _is_static(function):
        with machine.unrecorded():
            thing = machine.memory.get(("self", function.owner)) or build(machine, function.owner, ((), {}))
        machine.memory[("self", function.owner)] = thing
        args = (Value(kind="instance", name=function.owner.name, definition=thing, key="self"),)
    machine.entered = 1
    follow(machine, function, (args, {}))
    machine.entered = 0
    function.followed = followed


def _is_static(function: Function) -> bool:
    decorators = getattr(function.node, "decorator_list", ())
    return any(getattr(each, "id", "") in ("staticmethod", "classmethod") for each in decorators)


def _taken(machine: Machine, name: str) -> Trace:
    steps, machine.steps = machine.steps, []
    return trace_of(name, steps)


def _by_kind(tree: ast.Module) -> dict[type[ast.AST], list[ast.AST]]:
    found: dict[type[ast.AST], list[ast.AST]] = {}
    for node in ast.walk(tree):
        found.setdefault(type(node), []).append(node)
    return found
