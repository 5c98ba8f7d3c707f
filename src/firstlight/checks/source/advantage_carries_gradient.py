"""The policy loss also trains the critic, because the advantage is not detached from the graph.

## What it sees
`log_prob * advantage`, where the advantage is a return minus a value that a network computed in the same function, and
nothing detaches it. The policy loss then moves the value estimates to wherever it becomes smaller, against the critic's
own loss.

## When it is fine
A value computed under `no_grad`, or detached anywhere on the way. With several optimizers the gradients may be cleared
before they do harm, and nothing is reported.
"""

import ast
import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile
from firstlight.records.syntax import CUTTING, LIBRARIES, SCOPES, mentions, name_of, own

ADVANTAGE = re.compile(r"adv|delta|td_?err", re.IGNORECASE)
LIKELIHOOD = re.compile(r"log_?p(?:rob|i|_|\b|a)|logp|ratio", re.IGNORECASE)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if "torch" not in source.imports or not source.says(ADVANTAGE):
        return
    clearing = {ast.unparse(c.func) for c in source.nodes(ast.Call) if name_of(c.func) == "zero_grad"}
    if len(clearing) != 1:
        return
    for scope in source.nodes(*SCOPES):
        nodes = list(own(scope))
        for made in (node for node in nodes if isinstance(node, ast.Assign)):
            target = made.targets[0]
            if isinstance(target, ast.Name) and ADVANTAGE.search(target.id) and _from_network(made.value, nodes):
                yield from _multiplied(source, nodes, target.id)


def _from_network(value: ast.expr, nodes: list[ast.AST]) -> bool:
    """Whether it is a difference that subtracts a network's value with its graph."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Sub) or CUTTING.search(ast.unparse(value)):
        return False
    critic = next((node.id for node in ast.walk(value.right) if isinstance(node, ast.Name)), "")
    made = [n for n in nodes if isinstance(n, ast.Assign) and any(mentions(target, critic) for target in n.targets)]
    quiet = {id(inner) for n in nodes if isinstance(n, ast.With) and CUTTING.search(_items(n)) for inner in ast.walk(n)}
    return bool(made) and all(
        isinstance(n.value, ast.Call)
        and _may_be_network(n.value.func)
        and not CUTTING.search(ast.unparse(n))
        and id(n) not in quiet
        for n in made
    )


def _items(block: ast.With) -> str:
    return " ".join(ast.unparse(item.context_expr) for item in block.items)


def _may_be_network(func: ast.expr) -> bool:
    """`critic(x)`, `self.model(x)`; not a function of a library, nor a method of a network's output."""
    root = ast.unparse(func).split(".")[0]
    return root not in LIBRARIES and (isinstance(func, ast.Name) or root == "self" or name_of(func) == "forward")


def _multiplied(source: SourceFile, nodes: list[ast.AST], name: str) -> Found:
    text = " ".join(ast.unparse(node) for node in nodes if isinstance(node, ast.Assign | ast.Expr))
    if re.search(rf"\b{name}\.(?:detach|item|data)\b|{name} = .*\b(?:detach|no_grad)", text):
        return
    for node in (n for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.Name) and one.id == name and LIKELIHOOD.search(ast.unparse(other)):
                yield Evidence(
                    where=source.spot(node).where,
                    saw=f"`{name}` is multiplied with `{ast.unparse(other)[:40]}` but still has the critic's graph",
                    wanted=f"`{name}.detach()` in the policy loss",
                )


CHECK = Check(
    id="FL778",
    summary="the policy loss also trains the critic",
    causes=("rl-advantage",),
    likely="the advantage is not detached",
    fix="multiply the log-probability by the detached advantage",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
