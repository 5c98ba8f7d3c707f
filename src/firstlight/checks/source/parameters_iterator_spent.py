"""An iterator over parameters is used a second time, when it is empty.

## What it sees
A name holds `model.parameters()` or a `filter` of it, an optimizer is built from it, and the same name is passed to
`clip_grad_norm_` or to a second optimizer: the iterator is exhausted, and nothing is clipped or trained.

## When it is fine
A list built from it can be used any number of times.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        spent: dict[object, Call] = {}
        for call in trace.calls():
            for node, value in zip(call.node.args, call.args, strict=False) if isinstance(call.node, ast.Call) else ():
                if value.kind != "params" or not isinstance(node, ast.Name | ast.Attribute) or value.made is None:
                    continue
                first = (
                    spent.setdefault((value.made, value.key), call)
                    if call.result.kind == "optimizer"
                    else spent.get((value.made, value.key))
                )
                if (
                    first is not None
                    and first.node is not call.node
                    and ("clip_grad" in call.target or call.result.kind == "optimizer")
                ):
                    yield Evidence(
                        where=call.spot.where,
                        saw=f"this is the iterator that the optimizer at {first.spot} has already consumed",
                        wanted="a list of the parameters: `list(model.parameters())`",
                    )


CHECK = Check(
    id="FL733",
    summary="an iterator over parameters is empty when it is used again",
    causes=("train-order", "hp-clip"),
    likely="`parameters()` returns an iterator, not a list",
    fix="turn it into a list where it is assigned",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
