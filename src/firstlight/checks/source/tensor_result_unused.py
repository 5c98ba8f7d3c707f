"""A tensor operation that returns a new tensor is used as if it changed the old one.

## What it sees
A statement that is only `x.to(device)`, `x.detach()`, `x.clamp(…)`, `x.float()` or similar, where `x` is known to be a
tensor: the result is discarded.

## When it is fine
On a module, `to()` works in place and is not reported. Methods that end in `_` work in place.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

PURE = re.compile(
    r"to|cuda|cpu|float|double|half|long|detach|clamp|squeeze|unsqueeze|view|reshape|permute|transpose|contiguous|clone|"
    r"flatten|relu|sigmoid|softmax"
)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls():
            name = call.target.removeprefix("tensor.")
            if not call.discarded or not PURE.fullmatch(name) or not call.target.startswith("tensor."):
                continue
            if call.receiver.has("batch") and name in ("to", "cuda", "cpu"):
                continue
            yield Evidence(
                where=call.spot.where,
                saw=f"the result of `.{name}(…)` is not used, and the tensor itself does not change",
                wanted="an assignment of the result to a name",
            )


CHECK = Check(
    id="FL739",
    summary="the result of a tensor operation is discarded",
    causes=("train-order", "data-scale"),
    likely="the operation was expected to work in place",
    fix="assign the result",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
