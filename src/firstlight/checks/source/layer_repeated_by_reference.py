"""One layer is put into a model several times by multiplying a list.

## What it sees
`[layer] * n` with a layer that has parameters is passed to `nn.Sequential` or `nn.ModuleList`: all n are the same layer
with the same weights.

## When it is fine
Weight sharing on purpose looks the same: suppress the finding on that line.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile, Value


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls("torch.nn.Sequential", "torch.nn.ModuleList"):
            repeated = [
                arg for arg in call.args if arg.has("repeated") and any(_has_parameters(item) for item in arg.items)
            ]
            if repeated:
                yield Evidence(
                    where=call.spot.where,
                    saw=f"a list is multiplied by a number: the same {_name(repeated[0])} in every place",
                    wanted="a new layer for each place",
                )


def _has_parameters(item: Value) -> bool:
    if item.kind == "instance":
        return bool(getattr(item.definition, "is_module", False))
    return (
        item.kind == "layer"
        and re.search(r"(Linear|Conv|Norm|LSTM|GRU|RNN|Embedding|Attention|Transformer|Sequential)", item.name)
        is not None
    )


def _name(value: Value) -> str:
    return f"`{value.items[0].name.rpartition('.')[2]}`"


CHECK = Check(
    id="FL731",
    summary="one layer is used in several places of the model and shares its weights",
    causes=("arch-shared",),
    likely="a list of layers was multiplied",
    fix="build each layer separately: `[make() for _ in range(n)]`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    at_work="modules-repeated",
)
