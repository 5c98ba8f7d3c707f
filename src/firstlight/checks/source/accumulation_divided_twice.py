"""A loss is divided by the accumulation steps although Accelerate already divides it.

## What it sees
The program uses `Accelerator(gradient_accumulation_steps=n)` and, under `accelerator.accumulate`, calls `backward` on a
loss that it divides by `n` itself. Accelerate also divides in `backward`, so the gradients come out `n` times too
small.

## When it is fine
Without `gradient_accumulation_steps`, or without `accumulate`, the program has to divide by itself.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

STEPS = "gradient_accumulation_steps"


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if "accelerate" not in source.imports:
        return
    divisors = _accumulation_steps(source)
    for block in source.nodes(ast.With):
        if divisors and any(".accumulate(" in ast.unparse(item.context_expr) for item in block.items):
            yield from _divided(source, block, divisors)


def _accumulation_steps(source: SourceFile) -> set[str]:
    """The values passed as `gradient_accumulation_steps`, as written, and the attributes that read it back."""
    keywords = [k for call in source.nodes(ast.Call) for k in call.keywords if k.arg == STEPS]
    given = {ast.unparse(keyword.value) for keyword in keywords if ast.unparse(keyword.value) != "1"}
    read = {ast.unparse(node) for node in source.nodes(ast.Attribute) if node.attr == STEPS}
    return given | read if given else set()


def _divided(source: SourceFile, block: ast.With, divisors: set[str]) -> Found:
    for node in ast.walk(block):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            continue
        if ast.unparse(node.right) in divisors and _goes_backward(block, node):
            yield Evidence(
                where=source.spot(node).where,
                saw=f"the loss is divided by `{ast.unparse(node.right)}`, and again by `accelerator.backward`",
                wanted="a single division",
            )


def _goes_backward(block: ast.With, division: ast.BinOp) -> bool:
    """It is the argument of `backward`, or is assigned to the name that is."""
    for call in (node for node in ast.walk(block) if isinstance(node, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "backward" or not call.args:
            continue
        given = call.args[0]
        if given is division:
            return True
        made = [node for node in ast.walk(block) if isinstance(node, ast.Assign) and node.value is division]
        if any(ast.unparse(node.targets[0]) == ast.unparse(given) for node in made):
            return True
    return False


CHECK = Check(
    id="FL773",
    summary="the loss is divided by the accumulation steps twice",
    causes=("train-accumulation",),
    likely="a division from before Accelerate was used was left in",
    fix="pass the undivided loss to `accelerator.backward`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
