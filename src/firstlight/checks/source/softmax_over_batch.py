"""A softmax runs over the batch instead of the classes.

## What it sees
The values passed to a loss come from a softmax or log-softmax with `dim=0`: the examples of one batch compete with each
other.

## When it is fine
A softmax over the first dimension elsewhere, as in attention over nodes, is not checked.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import LossUse


def find(use: LossUse, _limits: NoLimits) -> Found:
    value = use.prediction
    if (
        value.act not in ("softmax", "log_softmax")
        or value.literal("dim") != 0
        or value.act_at is None
        or value.has("row")
    ):
        return
    yield Evidence(
        where=value.act_at.where,
        saw=f"`{value.act}` is called with `dim=0`, and its result goes to `{use.shown}` at {use.call.spot}",
        wanted="a softmax over the classes: `dim=1`, or `dim=-1`",
    )


CHECK = Check(
    id="FL708",
    summary="softmax normalizes over the batch, not over the classes",
    causes=("loss-dim",),
    likely="`dim=0` was taken for the class dimension",
    fix="use `dim=-1`",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
    at_work="activation-over-wrong-axis",
)
