"""The training data comes in the same order in every epoch.

## What it sees
Over several epochs, a training loop runs over a `DataLoader` built without `shuffle=True` and without a sampler, on a
dataset that is not a stream.

## When it is fine
Sequences whose order matters, and data shuffled elsewhere, are fine: suppress the finding on that line.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import UNKNOWN, Call, TrainingLoop, Value

ORDERED = ("shuffle", "sampler", "batch_sampler", "**", "3", "4")
SHUFFLED_ELSEWHERE = re.compile(
    r"shuffle|randperm|permutation|random_split|train_test_split|iterable|stream", re.IGNORECASE
)


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    loader = loop.loop.over
    if loader.name != "torch.utils.data.DataLoader" or loader.made is None or "dataset" not in loader.args:
        return
    if any(name in loader.args for name in ORDERED) and loader.literal("shuffle") is not False:
        return
    if any(name in loader.args for name in ("sampler", "batch_sampler", "**")) or not loop.updates:
        return
    if loop.backwards[0].loops[:1] == (loop.loop,):
        return  # a single pass over the data has no second order
    data = loader.args.get("dataset", UNKNOWN)
    words = f"{data.key} {data.name}"
    elsewhere = any(isinstance(step, Call) and SHUFFLED_ELSEWHERE.search(step.target) for step in loop.around)
    if elsewhere or SHUFFLED_ELSEWHERE.search(words) or data.kind not in ("instance", "unknown") or _is_stream(data):
        return
    if "train" not in f"{words} {loader.key}".lower():
        return
    yield Evidence(
        where=loader.made.where,
        saw=f"this `DataLoader` does not shuffle, and the loop at {loop.loop.spot} trains on it",
        wanted="a different order in every epoch",
    )


def _is_stream(data: Value) -> bool:
    methods = getattr(getattr(data.definition, "kind", None), "methods", {})
    return data.kind == "instance" and "__getitem__" not in methods


CHECK = Check(
    id="FL752",
    summary="training data is not shuffled",
    causes=("data-not-shuffled",),
    likely="`shuffle` is off by default",
    fix="pass `shuffle=True`",
    severity=Severity.WARNING,
    confidence=0.85,
    at_work="order-repeats",
    find=find,
)
