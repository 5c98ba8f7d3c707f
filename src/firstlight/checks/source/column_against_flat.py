"""A prediction of shape (N, 1) is compared with a target of shape (N,), or the other way round.

## What it sees
One side of an element-wise loss was made a column (`unsqueeze(1)`, `view(-1, 1)`, or a linear layer with one output),
and the other was flattened (`view(-1)`, `flatten()`). They broadcast to N×N, and every prediction is compared with
every target.

## When it is fine
If the shape of either side is not certain from the source, nothing is reported; `firstlight check` sees the real
shapes.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import LossUse

ELEMENTWISE = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def find(use: LossUse, _limits: NoLimits) -> Found:
    if use.function not in ELEMENTWISE:
        return
    sides = (use.prediction, use.target)
    flat = [side for side in sides if side.has("flat")]
    column = [side for side in sides if side.has("column") or (side.size == 1 and side.act == "none")]
    if len(flat) != 1 or len(column) != 1 or flat[0] is column[0]:
        return
    shapes = "(N,) and (N, 1)" if use.prediction is flat[0] else "(N, 1) and (N,)"
    yield Evidence(
        where=use.call.spot.where,
        saw=f"prediction and target have shapes {shapes}, which broadcast to (N, N)",
        wanted="the same shape on both sides",
    )


CHECK = Check(
    id="FL709",
    summary="prediction and target broadcast against each other",
    causes=("loss-broadcast",),
    likely="one side was flattened and the other was not",
    fix="flatten both: `prediction.squeeze(-1)` against a target of shape (N,)",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="loss-broadcast",
)
