"""Backward is called on a loss from which no parameter can be reached.

## What it sees
The loss has no graph behind it, is a fresh leaf (`torch.tensor(loss, requires_grad=True)`), or its graph ends in no
parameter. Backward then raises, or runs and changes nothing.

## When it is fine
Gradients with respect to inputs (adversarial examples, style transfer) reach a leaf that is not a parameter; such a
backward is reported only if it has no graph at all.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.facts import LossRoot


def find(root: LossRoot, _limits: NoLimits) -> Found:
    if not root.cut:
        return
    made = "is a new leaf made with `requires_grad=True`" if root.leaves else "has no graph behind it"
    after = f"; the last cut before it was `{root.cut_by}` at {root.cut_at}" if root.cut_at else ""
    yield Evidence(
        where=at(root.site, step=root.first_step, rank=root.rank),
        saw=f"the loss of {root.cut} of {root.backwards} backwards {made}{after}",
        wanted="a loss computed from the model's outputs by differentiable operations",
        do=f"look at {root.cut_at}: keep the tensor there instead of `{root.cut_by}`" if root.cut_at else None,
        numbers={"cut": root.cut, "backwards": root.backwards},
    )


CHECK = Check(
    id="FL204",
    summary="the loss is cut off from the parameters",
    causes=("loss-detached",),
    likely="`.item()`, `.detach()`, `.data`, `argmax`, NumPy or `no_grad` between the model and the loss",
    fix="trace the loss back to the model's output, and keep every value on the way a tensor with a graph",
    severity=Severity.ERROR,
    confidence=0.97,
    exhaustive=True,
    find=find,
)
