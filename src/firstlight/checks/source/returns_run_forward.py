"""Discounted returns or advantages are accumulated from the first step on, not from the last.

## What it sees
A loop over an episode stores `total = reward + gamma * total` step by step, from the beginning: every step gets the
discounted sum of what came before it, which its action could not affect.

## When it is fine
A loop that goes backwards (by `reversed`, `[::-1]`, a negative step, `insert(0, …)`), or over a sequence that is
reversed before or afterwards, is right. A running sum that is not stored for each step is not reported.
"""

import ast
import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile
from firstlight.records.syntax import SCOPES, mentions, name_of, own

DISCOUNT = re.compile(r"gamma|discount|lambda|lam$|gae", re.IGNORECASE)
EPISODE = re.compile(r"rew|delta|td|transition|traj|rollout|episode|^rs$|^r$", re.IGNORECASE)
BACKWARDS = re.compile(r"reversed\(|::\s*-1\]|, -1, -1\)|\.flip\(|\.flipud\(|insert\(0|appendleft|\.reverse\(\)")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if "torch" not in source.imports or not source.says(DISCOUNT):
        return
    for scope in source.nodes(*SCOPES):
        nodes = list(own(scope))
        if any(BACKWARDS.search(ast.unparse(node)) for node in nodes if isinstance(node, ast.Call | ast.Subscript)):
            continue
        for loop in (node for node in nodes if isinstance(node, ast.For)):
            yield from _forwards(source, loop)


def _forwards(source: SourceFile, loop: ast.For) -> Found:
    if not any(EPISODE.search(name_of(node)) for node in ast.walk(loop.iter)):
        return
    inside = list(own(loop))
    for statement in inside:
        total = _total(statement)
        if total is not None and any(_stores(node, total) for node in inside):
            yield Evidence(
                where=source.spot(statement).where,
                saw=f"`{ast.unparse(statement)[:80]}` is stored step by step, starting at the first step of an episode",
                wanted="the sum of what follows each step: a loop from the last step to the first",
            )


def _total(statement: ast.AST) -> str | None:
    """The name in `name = something of rewards + discount * name`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    name, value = statement.targets[0].id, statement.value
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    for added, carried in ((value.left, value.right), (value.right, value.left)):
        discounted = isinstance(carried, ast.BinOp) and any(DISCOUNT.search(name_of(n)) for n in ast.walk(carried))
        rewarded = any(EPISODE.search(name_of(node)) for node in ast.walk(added))
        if discounted and rewarded and mentions(carried, name) and not mentions(added, name):
            return name
    return None


def _stores(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call) and name_of(node.func) == "append":
        return any(mentions(argument, name) for argument in node.args)
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and mentions(node.value, name)


CHECK = Check(
    id="FL776",
    summary="returns are accumulated from the first step on",
    causes=("rl-advantage",),
    likely="the loop over the episode is not reversed",
    fix="loop over `reversed(rewards)` and put the sums back in order",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
