"""A softmax guesses its dimension.

## What it sees
`F.softmax`, `F.log_softmax`, `nn.Softmax` or `nn.LogSoftmax` without `dim`. For tensors of one or three dimensions the
guess is dimension 0: the batch.

## When it is fine
The guess is right for (N, C) and (N, C, H, W); torch still warns, because implicit dimensions are deprecated.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

FUNCTIONS = ("torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.softmin")
LAYERS = ("torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls(*FUNCTIONS, *LAYERS):
            given = call.args[1:] if call.target in FUNCTIONS else call.args
            if given or "dim" in call.keywords or "**" in call.keywords or call.spot.file != source.path:
                continue
            if call.target in FUNCTIONS and not call.args and "input" not in call.keywords:
                continue
            yield Evidence(
                where=call.spot.where,
                saw=f"`{call.target.rpartition('.')[2]}` is called without `dim`",
                wanted="the dimension of the classes, stated explicitly",
            )


CHECK = Check(
    id="FL735",
    summary="a softmax guesses its dimension",
    causes=("loss-dim",),
    likely="`dim` was left out",
    fix="write `dim=-1`, or the dimension that holds the classes",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
