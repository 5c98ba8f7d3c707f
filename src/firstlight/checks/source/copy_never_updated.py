"""A slow copy of a model is created and used for targets, but never updated.

## What it sees
A file that trains makes a copy (`copy.deepcopy`) of a model, named as a target network or a moving average, and calls
it for values. Nothing else is ever done with the copy: no weights are loaded into it or averaged.

## When it is fine
A copy that is passed to any function, or whose parameters or state are touched anywhere except to freeze them, may be
updated there and is not reported. Nor is a frozen teacher or reference, which is not meant to change.
"""

import ast
import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile
from firstlight.records.syntax import name_of

SLOW = re.compile(r"(?:^|_)(?:target|tgt|ema|averaged|momentum|shadow)(?:$|_)", re.IGNORECASE)
COPYING, TRAINING = re.compile(r"\bdeepcopy\b"), re.compile(r"\.backward\(")
HARMLESS = frozenset({"eval", "train", "to", "cuda", "cpu", "requires_grad_", "half", "float"})


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if not source.says(COPYING) or not source.says(TRAINING):
        return
    parents = {id(child): node for node in _all(source) for child in ast.iter_child_nodes(node)}
    for made in source.nodes(ast.Assign):
        name = ast.unparse(made.targets[0])
        if not SLOW.search(name_of(made.targets[0])) or not _is_copy(made.value):
            continue
        uses = [node for node in source.nodes(ast.Name, ast.Attribute) if ast.unparse(node) == name]
        others = [node for node in uses if isinstance(node.ctx, ast.Load)]
        asked = [node for node in others if _is_called(node, parents)]
        if asked and all(_is_called(n, parents) or _is_harmless(n, parents) for n in others):
            yield Evidence(
                where=source.spot(made).where,
                saw=f"`{name}` is copied once and called for values, and nothing else is ever done with it",
                wanted="weights that follow those of the model being trained",
            )


def _all(source: SourceFile) -> list[ast.AST]:
    return [node for nodes in source.by_kind.values() for node in nodes]


def _is_copy(value: ast.expr) -> bool:
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in HARMLESS:
        value = value.func.value
    return isinstance(value, ast.Call) and name_of(value.func) == "deepcopy"


def _is_called(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    return isinstance(parent, ast.Call) and parent.func is node


def _is_harmless(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Whether it changes only the mode or device, or is a loop that freezes."""
    parent = parents.get(id(node))
    if not isinstance(parent, ast.Attribute):
        return False
    call = parents.get(id(parent))
    if parent.attr in HARMLESS:
        return isinstance(call, ast.Call)
    loop = parents.get(id(call)) if call is not None else None
    freezing = isinstance(loop, ast.For) and all("requires_grad" in ast.unparse(line) for line in loop.body)
    return parent.attr == "parameters" and freezing


CHECK = Check(
    id="FL777",
    summary="a target network or moving average is never updated",
    causes=("train-ema", "rl-target"),
    likely="the update was left out, or goes to another copy",
    fix="update it after each step, or load the trained weights into it at regular intervals",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
