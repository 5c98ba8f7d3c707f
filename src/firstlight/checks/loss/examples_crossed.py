"""Broadcasting pairs each example with every other, on the way to a loss that needs them one by one.

## What it sees
An operation between the network and the loss gets shapes such as (N, 1) and (N,): a variance and an error, an advantage
and a ratio, a weight and a loss, or the parts of a target. Its result has one element for every pair of examples. The
check then measures how much each element weighs in the loss. An example paired with itself weighs as much as any other
pair, so nothing treats the pairs differently, and each example is trained on the numbers of all.

## When it is fine
Losses over all pairs (ranking, contrastive losses, distances between two point clouds) treat some pairs differently,
pair a tensor with itself, or add the axis on the line that uses it (`x.unsqueeze(1) - y`); none of these is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import CrossedSeen


class Limits(Settable):
    looks: int = 2
    """Fewest looks; a single one may be a test, or a batch whose size equals some other length."""


def find(seen: CrossedSeen, limits: Limits) -> Found:
    if seen.looks < limits.looks or not seen.others > 0:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"`{seen.operation}` of {seen.left} and {seen.right} broadcasts to {seen.result}: each example is paired "
        f"with every other, and those pairs have {seen.others:.1%} of the weight in the loss",
        wanted="two equal shapes, so that each example is paired only with itself",
        numbers={"others": seen.others, "looks": seen.looks},
    )


CHECK = Check(
    id="FL291",
    summary="broadcasting pairs each example with every other in the loss",
    causes=("loss-broadcast",),
    likely="an output, a weight or an advantage keeps a last axis of length 1 that the other operand does not have",
    fix="make the shapes equal before they are combined: `squeeze(-1)` one, or `unsqueeze(-1)` the other",
    severity=Severity.WARNING,
    confidence=0.93,
    exhaustive=True,
    find=find,
)
