"""`requires_grad` is set on a loss, which silences the error that would have told of the cut.

## What it sees
`requires_grad_()`, `requires_grad = True` or `Variable(…, requires_grad=True)` on a value computed by a loss
function. The loss becomes a leaf: backward runs and reaches no parameter.

## When it is fine
Inputs that need a gradient, as in adversarial examples or physics-informed losses, are not losses and not reported.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import Assignment, Call, SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Iterator[Evidence]:
    for trace in source.traces:
        for step in trace.steps:
            if not _makes_leaf(step):
                continue
            yield Evidence(
                where=step.spot.where,
                saw="`requires_grad` is set on a loss",
                wanted="a loss that requires a gradient because the model's parameters do",
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
    id="FL707",
    name="loss-made-leaf",
    summary="`requires_grad` is set on a loss so that backward runs",
    causes=("loss-detached",),
    likely="backward complained that the loss does not require a gradient",
    fix="remove it, and find what cut the loss off the model: `detach`, `item`, `argmax`, `no_grad`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="loss-detached",
)
