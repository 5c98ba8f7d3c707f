"""The logarithm of a softmax or sigmoid is minus infinity when the probability rounds to zero.

## What it sees
`torch.log` of the result of a softmax or sigmoid, with nothing added and nothing clamped.

## When it is fine
A small number added first, or `log_softmax`, is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

STABLE = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls("torch.log", "tensor.log"):
            value = call.receiver if call.target == "tensor.log" else call.argument(0, "input")
            if value is None or value.act not in STABLE or value.has("floored") or value.has("data"):
                continue
            yield Evidence(
                where=call.spot.where,
                saw=f"the logarithm is taken of the `{value.act}` at {value.act_at}",
                wanted=f"`F.{STABLE[value.act]}`, which stays finite",
                do=f"use `F.{STABLE[value.act]}` on the scores instead",
            )


CHECK = Check(
    id="FL760",
    summary="the logarithm of a probability can be minus infinity",
    causes=("num-nonfinite",),
    likely="softmax and log are written as two steps",
    fix="use `log_softmax` or `logsigmoid`",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
