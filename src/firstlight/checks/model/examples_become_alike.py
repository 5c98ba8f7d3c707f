"""Every example of a batch is given the same prediction.

## What it sees
The examples that enter the network differ, and what meets their answers is the same for all of them, at every look
after the first steps. The finding names the operation after which nothing tells the examples apart: a pooling over the
batch, an activation that has died, a cast that rounds everything away, an index that takes the first row for all.

## When it is fine
A network whose last layer begins at zero gives one answer to all at first; it is looked at again some steps later.
Branches that forget the examples on purpose, beside others that do not, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Alike

DEAD = frozenset({"relu", "relu_", "relu6", "hardtanh", "threshold", "clamp", "clamp_"})
SQUASHING = frozenset({"sigmoid", "sigmoid_", "tanh", "tanh_", "softmax", "log_softmax", "softsign"})
"""They let no difference through, and so no gradient either."""
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
"""What such an operation means by itself; any other has destroyed the information by its own means."""


class Limits(Settable):
    examples: int = 4
    """So many that differ when they are fed; two or three may be alike by chance."""


def find(alike: Alike, limits: Limits) -> Found:
    if alike.fed < limits.examples:
        return
    bad, good = alike.first_bad, alike.last_good
    before = (
        "they differ as they are fed" if good is None else f"they still differ after `{good.operation}`{_at(good.site)}"
    )
    yield Evidence(
        where=at(bad.site, step=alike.step, rank=alike.rank),
        saw=f"after `{bad.operation}` all {alike.examples} examples of the batch are the same, and so are their "
        f"predictions; {before}",
        wanted="predictions that depend on the example they are for",
        cause=next((cause for cause, operations in CAUSES if bad.operation in operations), "data-degenerate"),
        numbers={"examples": alike.examples, "fed": alike.fed, "looks": alike.looks},
    )


def _at(site: object) -> str:
    return "" if site is None else f" at {site}"


CHECK = Check(
    id="FL448",
    summary="every example of a batch is given the same prediction",
    causes=("data-degenerate", "arch-dead-units", "arch-vanishing", "arch-batch-mixing", "arch-norm", "arch-init"),
    likely="an operation that takes one value for the whole batch, or an activation that no example gets through",
    fix="look at the operation named above with two different examples: its output must differ",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
