"""Backward is called on a loss that is no longer connected to the model.

## What it sees
Everything a loss was computed from went through an operation that passes no gradient (`detach`, `item`, `numpy`,
`argmax`, `.data`, a comparison, `torch.tensor(…)`) or was computed under `torch.no_grad()`, and `backward` is called on
it. Or `requires_grad` is set on the loss itself (`requires_grad_()`, `Variable(…, requires_grad=True)`), which silences
the error that would have revealed the cut: backward runs and reaches no parameter.

## When it is fine
A loss to which one connected term is added is not reported. Detached targets are fine, and inputs that need a gradient,
as in adversarial examples or physics-informed losses, are not losses.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, Call, SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls("tensor.backward"):
            loss = call.receiver
            if not loss.cut or loss.cut_at is None or "no_grad" in call.guards:
                continue
            yield Evidence(
                where=loss.cut_at.where,
                saw=f"`{loss.cut}` at {loss.cut_at}, and then `backward()` at {call.spot} on the result",
                wanted="a loss that stays connected to the model's parameters",
                do=f"remove `{loss.cut}` between the model and the loss; use it only for values that are printed",
            )
        for step in filter(_makes_leaf, trace.steps):
            yield Evidence(
                where=step.spot.where,
                saw="`requires_grad` is set on a loss",
                wanted="a loss that requires a gradient because the model's parameters do",
                likely="backward complained that the loss does not require a gradient",
                do="remove it, and find what cut the loss off from the model: `detach`, `item`, `argmax`, `no_grad`",
            )


def _makes_leaf(step: Call | Assignment) -> bool:
    if isinstance(step, Assignment):
        return step.target.endswith(".requires_grad") and step.owner.has("loss") and step.value.const is True
    if step.target == "tensor.requires_grad_":
        return step.receiver.has("loss") and not (step.args and step.args[0].const is False)
    wraps = step.target in ("torch.autograd.Variable", "torch.tensor", "torch.nn.Parameter")
    asked = "requires_grad" in step.keywords and step.keywords["requires_grad"].const is True
    return wraps and asked and bool(step.args) and step.args[0].has("loss")


CHECK = Check(
    id="FL706",
    summary="the loss is cut off from the model before backward",
    causes=("loss-detached",),
    likely="a value meant for logging, or a class prediction, is used in the loss",
    fix="compute the loss directly from the model's output",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="loss-detached",
)
