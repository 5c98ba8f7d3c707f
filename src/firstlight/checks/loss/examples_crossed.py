"""Broadcasting puts each example together with every other, on the way to a loss that wants them one by one.

## What it sees
An operation between the network and the loss was given shapes such as (N, 1) and (N,): a variance and an error, an
advantage and a ratio, a weight and a loss, or the parts of an answer. Its result has a place for every pair of
examples. The loss is then asked what it makes of these places: that of an example with itself weighs as much as every
other, so nothing told the pairs apart, and each example is trained by the numbers of all.

## When it is fine
Losses over all pairs (ranks, contrasts, distances between two clouds) tell some pairs from others, put one thing
together with itself, or make the axis in the line that uses it (`x.unsqueeze(1) - y`); none of these is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import CrossedSeen


class Limits(Settable):
    looks: int = 2
    """One may be a test, or a batch of as many examples as something else is long."""


def find(seen: CrossedSeen, limits: Limits) -> Found:
    if seen.looks < limits.looks or not seen.others > 0:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"`{seen.operation}` of {seen.left} and {seen.right} broadcasts to {seen.result}: each example meets every "
        f"other, and those pairs have {seen.others:.1%} of the weight in the loss",
        wanted="two equal shapes, in which each example meets its own",
        numbers={"others": seen.others, "looks": seen.looks},
    )


CHECK = Check(
    id="FL291",
    summary="broadcasting puts each example together with every other in the loss",
    causes=("loss-broadcast",),
    likely="an output, a weight or an advantage keeps a last axis of length 1 that the other operand does not have",
    fix="make the shapes equal before they meet: `squeeze(-1)` the one, or `unsqueeze(-1)` the other",
    severity=Severity.WARNING,
    confidence=0.93,
    exhaustive=True,
    find=find,
)
