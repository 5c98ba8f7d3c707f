"""Every example of a batch gets the same prediction.

## What it sees
The examples that enter the network differ, but the predictions compared with the labels are the same for all of them,
at every look after the first steps. The finding names the operation after which the examples are identical: a pooling
over the batch, an activation that has died, a cast that rounds everything away, or an index that takes the first row
for all.

## When it is fine
A network whose last layer starts at zero gives all examples the same prediction at first; it is checked again some
steps later. Branches that ignore the examples on purpose, next to others that do not, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Alike

DEAD = frozenset({"relu", "relu_", "relu6", "hardtanh", "threshold", "clamp", "clamp_"})
SQUASHING = frozenset({"sigmoid", "sigmoid_", "tanh", "tanh_", "softmax", "log_softmax", "softsign"})
"""Where these saturate, they pass no difference on, and no gradient back."""
MIXING = frozenset({"mean", "sum", "max", "amax", "expand", "expand_as", "__getitem__", "select", "repeat", "matmul"})
NORMS = frozenset({"layer_norm", "batch_norm", "group_norm", "instance_norm", "normalize", "rms_norm"})
WEIGHTED = frozenset({"linear", "addmm", "conv1d", "conv2d", "conv3d", "embedding", "multi_head_attention_forward"})
CAUSES = (
    ("arch-dead-units", DEAD),
    ("arch-vanishing", SQUASHING),
    ("arch-batch-mixing", MIXING),
    ("arch-norm", NORMS),
    ("arch-init", WEIGHTED),
)
"""The cause that each kind of operation points to; for any other operation it is `data-degenerate`."""


class Limits(Settable):
    examples: int = 4
    """Fewest differing examples fed in; two or three may become alike by chance."""
    left: float = 1e-5
    """Smallest difference before a layer with weights, relative to the values, that is lost by these weights; less had
    vanished before, and is lost in rounding."""


def find(alike: Alike, limits: Limits) -> Found:
    if alike.fed < limits.examples:
        return
    bad, good = alike.first_bad, alike.last_good
    faint = alike.left is not None and alike.left < limits.left and bad.operation in WEIGHTED
    before = (
        "they differ in the input"
        if good is None
        else f"they still differ after `{good.operation}`{_at(good.site)}"
        + (f", by {alike.left:.1g} of the values" if faint else "")
    )
    yield Evidence(
        where=at(bad.site, step=alike.step, rank=alike.rank),
        saw=f"after `{bad.operation}` all {alike.examples} examples of the batch are identical, and so are their "
        f"predictions; {before}",
        wanted="predictions that depend on the example",
        cause="arch-vanishing" if faint else _cause(bad.operation),
        numbers={"examples": alike.examples, "fed": alike.fed, "looks": alike.looks},
    )


def _cause(operation: str) -> str:
    return next((cause for cause, operations in CAUSES if operation in operations), "data-degenerate")


def _at(site: object) -> str:
    return "" if site is None else f" at {site}"


CHECK = Check(
    id="FL448",
    summary="every example of a batch gets the same prediction",
    causes=("data-degenerate", "arch-dead-units", "arch-vanishing", "arch-batch-mixing", "arch-norm", "arch-init"),
    likely="an operation takes one value for the whole batch, or an activation blocks every example",
    fix="run the operation named above on two different examples: its outputs must differ",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
