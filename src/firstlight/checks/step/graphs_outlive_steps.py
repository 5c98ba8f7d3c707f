"""Graphs of earlier batches are kept, and memory grows with each of them.

## What it sees
In a rehearsal, each graph that a model call builds is followed until it is freed. The graphs of nearly all earlier
steps are still alive: something (a list, a sum) holds on to losses or outputs. Or a model in eval mode is called with
gradients enabled, no backward ever uses the graphs, and those of a whole evaluation are alive at the same time. The
check estimates how much memory they would hold in the full program. If that is little, this is a note; so is an
evaluation with gradients enabled that frees each graph.

## When it is fine
Gradients taken through an evaluation, for saliency maps or attacks, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.kept import GraphsKept


class Limits(Settable):
    calls: int = 5
    """Fewest calls of the model before the check speaks."""
    share: float = 0.6
    """Smallest share of the calls whose graphs are still alive. Those of the last steps are not counted, and a list may
    start again each epoch."""
    bytes: float = 5e7
    """Bytes kept in the full program up to which this is only a note."""
    telling: float = 1e6
    """Smallest size of a graph, in bytes, at which building it for nothing is worth a note."""


def find(kept: GraphsKept, limits: Limits) -> Found:
    if kept.calls < limits.calls:
        return
    if kept.alive >= limits.share * kept.calls:
        yield _piling_up(kept, limits)
    elif kept.evaluates and kept.bytes >= limits.telling:
        yield Evidence(
            where=at(kept.site, rank=kept.rank),
            saw=f"`{kept.model}` is evaluated with gradients enabled: each of {kept.calls} calls builds a graph of "
            f"{kept.bytes / 1e6:.1f} MB that nothing uses",
            wanted="evaluation under `torch.no_grad()`",
            severity=Severity.NOTE,
            numbers={"calls": kept.calls, "bytes": kept.bytes},
        )


def _piling_up(kept: GraphsKept, limits: Limits) -> Evidence:
    total = None if kept.whole is None else kept.whole * kept.bytes
    amount = "without limit" if total is None else f"up to {total / 1e6:.3g} MB in the whole program"
    when = "evaluation" if kept.evaluates else "training"
    return Evidence(
        where=at(kept.site, rank=kept.rank),
        saw=f"{kept.alive} of {kept.calls} graphs that `{kept.model}` built in {when} lived at the same time, "
        f"{kept.bytes / 1e6:.3g} MB each: {amount}",
        wanted="each graph freed after its batch",
        severity=Severity.NOTE if total is not None and not total > limits.bytes else None,
        do="put the evaluation under `with torch.no_grad():`" if kept.evaluates else None,
        numbers={"alive": kept.alive, "calls": kept.calls, "bytes": kept.bytes},
    )


CHECK = Check(
    id="FL347",
    summary="graphs of earlier batches are kept, and memory grows with each of them",
    causes=("train-state-leak", "env-memory"),
    likely="losses or outputs are kept with their graph: `total += loss` without `.item()`, or a list of tensors",
    fix="keep `loss.item()` or `output.detach()`, never the tensor itself",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
