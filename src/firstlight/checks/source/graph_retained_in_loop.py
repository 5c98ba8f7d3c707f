"""The only backward of a loop retains its graph, which hides state carried from batch to batch.

## What it sees
`backward(retain_graph=True)` in a loop that calls backward once, where nothing else uses the graph again.

## When it is fine
Two backwards through one graph need it and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    again = any(isinstance(step, Call) and step.target == "torch.autograd.grad" for step in loop.around)
    if len(loop.backwards) != 1 or again or loop.hidden:
        return
    call = loop.backwards[0]
    keep = call.keywords.get("retain_graph")
    if keep is None or keep.const is not True:
        return
    yield Evidence(
        where=call.spot.where,
        saw="`retain_graph=True` on the only backward of this loop",
        wanted="a graph that is freed with each backward",
    )


CHECK = Check(
    id="FL721",
    summary="the graph is retained although backward runs once",
    causes=("train-state-leak",),
    likely="an error about a second backward was silenced; something carries the graph of the last batch",
    fix="remove `retain_graph=True`; if backward then fails, detach whatever is carried over from the last batch",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    at_work="graph-grows",
)
