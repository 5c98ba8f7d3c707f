"""Graphs of earlier batches are kept, and memory grows with each of them.

## What it sees
In a rehearsal, each graph that a call of a model builds is followed until it is let go of. Those of nearly all earlier
steps still live: something holds on to losses or outputs (a list, a sum). Or a model in eval mode is called with
gradients enabled, no backward ever goes through what it builds, and the graphs of a whole evaluation live at the same
time. What they would hold in the whole program is worked out; where it is little this is a note, and so is an
evaluation with gradients enabled that lets go of each graph.

## When it is fine
Gradients through an evaluation, for saliency or for attacks, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.kept import GraphsKept


class Limits(Settable):
    calls: int = 5
    """Fewer show nothing."""
    share: float = 0.6
    """Of the calls whose graphs live: those of the last steps are not counted, and a list may begin anew each epoch."""
    bytes: float = 5e7
    """Kept in the whole program; less does no harm."""
    telling: float = 1e6
    """Bytes of each graph, from which on one that is built for nothing is worth a note."""


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
    amount = "without end" if total is None else f"up to {total / 1e6:.3g} MB in the whole program"
    when = "evaluation" if kept.evaluates else "training"
    return Evidence(
        where=at(kept.site, rank=kept.rank),
        saw=f"{kept.alive} of {kept.calls} graphs that `{kept.model}` built in {when} lived at the same time, "
        f"{kept.bytes / 1e6:.3g} MB each: {amount}",
        wanted="each graph let go of after its batch",
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
