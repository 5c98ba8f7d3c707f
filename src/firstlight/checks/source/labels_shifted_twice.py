"""Labels are shifted by hand for a model that shifts them itself.

## What it sees
In a file that uses Transformers, a model is called with `labels=` sliced from the second token on and inputs sliced up
to the last but one. Its causal models shift labels once more, so the model learns to predict the token after the next.

## When it is fine
Code that computes the loss itself from shifted labels is right and not reported.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if "transformers" not in source.imports:
        return
    for trace in source.traces:
        shifted = {
            s.target: s.node.value for s in trace.steps if isinstance(s, Assignment) and isinstance(s.node, ast.Assign)
        }
        for call in trace.calls():
            if not isinstance(call.node, ast.Call):
                continue
            given = {each.arg: each.value for each in call.node.keywords}
            inputs = given.get("input_ids", call.node.args[0] if call.node.args else None)
            if "labels" not in given or inputs is None:
                continue
            if _slice(given["labels"], shifted) == "1:" and _slice(inputs, shifted) == ":-1":
                yield Evidence(
                    where=call.spot.where,
                    saw="labels start at the second token, inputs end before the last, and the model shifts once more",
                    wanted="labels equal to the inputs",
                )


def _slice(node: ast.expr, names: dict[str, ast.expr]) -> str:
    """The last slice of `x[:, 1:]`, followed through one name."""
    if isinstance(node, ast.Name) and node.id in names:
        node = names[node.id]
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    if not isinstance(node, ast.Subscript):
        return ""
    last = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    return ast.unparse(last) if isinstance(last, ast.Slice) else ""


CHECK = Check(
    id="FL757",
    summary="labels are shifted by hand and again by the model",
    causes=("data-leak-future",),
    likely="causal models of Transformers already do the shift",
    fix="pass `labels=input_ids`, unshifted; mask padding with -100",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
