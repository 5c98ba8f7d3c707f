"""An evaluation builds graphs that nobody uses.

## What it sees
A function named for evaluation runs a model over a loader and computes no gradients, but the file nowhere uses
`torch.no_grad()` or `inference_mode()`.

## When it is fine
A function that is only called under `no_grad` in another file is fine: suppress the finding on that line.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

NAMED = re.compile(
    r"(?:^|[._])(?:eval|evaluate|evaluation|validate|validation|valid|test|inference|predict)(?:_\w+)?$", re.IGNORECASE
)
GRADIENT = ("backward", "autograd.grad", "set_grad_enabled", "no_grad", "inference_mode", "_step")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if "torch" not in source.imports or source.imports & {
        "lightning",
        "pytorch_lightning",
        "pytest",
        "unittest",
        "mxnet",
    }:
        return
    if source.path.rpartition("/")[2].startswith("test_"):
        return
    if any(
        word in line for word in ("no_grad", "inference_mode", "volatile", "set_grad_enabled") for line in source.lines
    ):
        return
    for trace in source.traces:
        computing = {call.function for call in trace.calls() if any(word in call.target for word in GRADIENT)}
        for call in trace.calls():
            if not call.target.startswith(("call.", "model.call")) or call.guards & {"no_grad", "maybe_grad"}:
                continue
            if not call.loops or call.loops[-1].kind != "batches" or call.function in computing:
                continue
            if not NAMED.search(call.function):
                continue
            yield Evidence(
                where=call.spot.where,
                saw=f"the model runs over a loader in `{call.function}` with gradients on, and no gradient is computed",
                wanted="`with torch.no_grad():` around the loop",
            )
            return


CHECK = Check(
    id="FL740",
    summary="evaluation runs with gradients on, which costs memory and time",
    causes=("env-memory",),
    likely="`torch.no_grad()` was forgotten",
    fix="put the loop under `with torch.no_grad():`, or decorate the function with `@torch.no_grad()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
