"""A misspelling of `requires_grad`, which Python accepts and torch ignores.

## What it sees
An assignment to an attribute named almost like `requires_grad`: nothing is frozen, and nothing unfrozen.

## When it is fine
There is no such case: torch has no attribute of these names.
"""

import ast
from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Edit, Evidence, Severity
from firstlight.records.source import SourceFile

WRONG = frozenset(
    {
        "require_grad",
        "requires_grads",
        "required_grad",
        "require_grads",
        "requiers_grad",
        "requries_grad",
        "requiregrad",
        "requires_gradient",
        "require_gradient",
        "requires_grad_",
    }
)


def find(source: SourceFile, _limits: NoLimits) -> Iterator[Evidence]:
    for node in source.nodes(ast.Assign):
        for target in node.targets:
            if not isinstance(target, ast.Attribute) or target.attr not in WRONG:
                continue
            end, column = target.end_lineno or node.lineno, target.end_col_offset or 0
            yield Evidence(
                where=source.spot(node).where,
                saw=f"`{target.attr}` is assigned, an attribute torch does not know",
                wanted="`requires_grad`",
                edits=(
                    Edit(
                        line=end,
                        column=column - len(target.attr),
                        end_line=end,
                        end_column=column,
                        text="requires_grad",
                    ),
                ),
            )


CHECK = Check(
    id="FL736",
    name="requires-grad-misspelt",
    summary="`requires_grad` is misspelt, so nothing is frozen",
    causes=("train-frozen",),
    likely="a slip of the pen",
    fix="write `requires_grad`",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
    at_work="requires-grad-on-module",
)
