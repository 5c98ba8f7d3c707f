"""A distributed sampler gives the same order in every epoch.

## What it sees
A `DistributedSampler` feeds a loader that is trained on for several epochs, and the file never calls `set_epoch`.

## When it is fine
Lightning, Accelerate and the Trainer of Transformers call it themselves; files that use them are not judged. A sampler
without shuffling does not need it.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

MANAGED = frozenset(
    {"lightning", "pytorch_lightning", "accelerate", "transformers", "ignite", "composer", "fastai", "deepspeed"}
)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if source.imports & MANAGED or any("set_epoch" in line for line in source.lines):
        return
    if not any(
        call.target.endswith(".backward") and len(call.loops) > 1 for trace in source.traces for call in trace.calls()
    ):
        return
    for trace in source.traces:
        for call in trace.calls(
            "torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler"
        ):
            shuffle = call.argument(3, "shuffle")
            if shuffle is not None and shuffle.const is not True:
                continue
            if (
                re.search(r"val|test|eval", source.lines[call.spot.line - 1], re.IGNORECASE)
                or call.spot.file != source.path
            ):
                continue
            yield Evidence(
                where=call.spot.where,
                saw="a `DistributedSampler` is used, and this file never calls `set_epoch`",
                wanted="`sampler.set_epoch(epoch)` at the start of each epoch",
            )


CHECK = Check(
    id="FL754",
    summary="the distributed sampler repeats the same order in every epoch",
    causes=("env-distributed",),
    likely="`set_epoch` was forgotten",
    fix="call `sampler.set_epoch(epoch)` before each pass over the loader",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
    at_work="epochs-in-one-order",
)
