"""Backward is called on a loss that is no longer connected to the model.

## What it sees
Everything a loss was computed from went through an operation no gradient passes (`detach`, `item`, `numpy`, `argmax`,
`.data`, a comparison, `torch.tensor(…)`) or was computed under `torch.no_grad()`, and `backward` is called on it.

## When it is fine
A loss to which one connected term is added is not reported. Detached targets are fine.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Iterator[Evidence]:
    for trace in source.traces:
        for call in trace.calls("tensor.backward"):
            loss = call.receiver
            if not loss.cut or loss.cut_at is None or "no_grad" in call.guards:
                continue
            yield Evidence(
                where=loss.cut_at.where,
                saw=f"`{loss.cut}` at {loss.cut_at}, and then `backward()` at {call.spot} on what came of it",
                wanted="a loss connected to the model's parameters all the way",
                do=f"take `{loss.cut}` off the way from the model to the loss; keep it for what is printed",
            )


CHECK = Check(
    id="FL706",
    name="backward-after-cut",
    summary="the loss is cut off from the model before backward",
    causes=("loss-detached",),
    likely="a value made for logging, or a class prediction, ended up in the loss",
    fix="compute the loss from the model's output itself",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="loss-detached",
)
