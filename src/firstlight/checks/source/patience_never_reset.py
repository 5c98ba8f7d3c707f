"""Early stopping counts every evaluation that is not the best, and never resets its counter.

## What it sees
If a number is better than the best so far, the best is updated; otherwise a counter goes up, and once it is large
enough, training ends. Nothing resets the counter after an improvement, so training ends after that many setbacks in
total, not in a row.

## When it is fine
A budget of setbacks for the whole run. A counter that is assigned elsewhere in the same `if`, or reset by a method
named for it, is not reported.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

BEST = re.compile(r"(?:^|[^a-z])best", re.IGNORECASE)
STOPS = re.compile(r"stop", re.IGNORECASE)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if not source.says(BEST):
        return
    ends = frozenset(name for node in source.nodes(ast.If) if _ends(node.body) for name in _compared(node.test))
    for node in source.nodes(ast.If):
        for better, worse in ((node.body, node.orelse), (node.orelse, node.body)):
            counted = _counted(worse) & ends
            if not counted or not any(map(BEST.search, _assigned(better))) or "reset" in _text(better):
                continue
            for name in sorted(counted - frozenset(_assigned([node]))):
                yield Evidence(
                    where=source.spot(node).where,
                    saw=f"`{name}` goes up without an improvement, and is not reset after one",
                    wanted=f"`{name} = 0` next to the new best",
                )


def _text(branch: Sequence[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, branch))


def _ends(branch: Sequence[ast.stmt]) -> bool:
    """Whether it leaves the loop, or sets a flag to leave it."""
    for line in branch:
        match line:
            case ast.Break() | ast.Return():
                return True
            case ast.Assign(value=ast.Constant(value=True)) if STOPS.search(ast.unparse(line.targets[0])):
                return True
    return False


def _compared(test: ast.expr) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            yield ast.unparse(node.left)
            yield from map(ast.unparse, node.comparators)


def _counted(branch: Sequence[ast.stmt]) -> frozenset[str]:
    return frozenset(
        ast.unparse(line.target) for line in branch if isinstance(line, ast.AugAssign) and isinstance(line.op, ast.Add)
    )


def _assigned(branch: Sequence[ast.stmt]) -> list[str]:
    nodes = [node for line in branch for node in ast.walk(line) if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [target for node in nodes for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [ast.unparse(part) for part in parts]


CHECK = Check(
    id="FL790",
    summary="early stopping counts setbacks in total, not in a row",
    causes=("train-schedule",),
    likely="the line that resets the counter to 0 was left out",
    fix="set the counter to 0 where the best is updated",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
