"""Two linear layers with nothing between them act as one.

## What it sees
An `nn.Sequential` with a linear layer directly followed by another, or with only dropout or flattening between them.

## When it is fine
A narrow layer between two wider ones is a low-rank factorization and is not reported.
"""

import itertools

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile, Value

BETWEEN = ("Dropout", "Identity", "Flatten")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls("torch.nn.Sequential"):
            layers = [item for item in call.result.items if item.name.rpartition(".")[2] not in BETWEEN]
            if not call.result.closed or call.spot.file != source.path:
                continue
            for first, second in itertools.pairwise(layers):
                same = first.made == second.made
                if (
                    first.name == second.name == "torch.nn.Linear"
                    and not same
                    and not _narrow(first, second)
                    and second.made
                ):
                    yield Evidence(
                        where=second.made.where,
                        saw=f"this linear layer directly follows the linear layer at {first.made}",
                        wanted="an activation between them",
                    )


def _narrow(first: Value, second: Value) -> bool:
    wide, middle, end = first.literal("in_features"), first.literal("out_features"), second.literal("out_features")
    if not all(isinstance(size, int) for size in (wide, middle, end)):
        return True
    return bool(middle < wide and middle < end)


CHECK = Check(
    id="FL742",
    summary="two linear layers follow each other and act as one",
    causes=("arch-capacity",),
    likely="the activation between them was forgotten",
    fix="put a `nn.ReLU()` or another activation between them",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    at_work="layers-stay-linear",
)
