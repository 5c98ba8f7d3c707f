"""The regularizer rewards what it should punish, or drowns the data.

## What it sees
The declared penalty by itself: it is negative, or falls when the weights grow, or is already far larger than the loss
on the data at the start.

## When it is fine
Penalties on something other than the size of the weights (an entropy bonus) may be negative on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Penalty


class Limits(Settable):
    share: float = 3.0
    """Largest ratio of the penalty to the loss on the data; above it, the first steps only reduce the penalty."""


def find(penalty: Penalty, limits: Limits) -> Found:
    where = at(penalty.site, rank=penalty.rank)
    numbers: dict[str, float | int | str | bool | None] = {"penalty": penalty.value, "larger": penalty.larger}
    if penalty.value < 0 or penalty.larger < penalty.value:
        yield Evidence(
            where=where,
            saw=f"the penalty is {penalty.value:.4g}, and {penalty.larger:.4g} with all weights 1.5 times as large",
            wanted="a positive number that grows with the weights",
            cause="loss-sign",
            numbers=numbers,
        )
    elif penalty.data_loss is not None and penalty.value > limits.share * abs(penalty.data_loss) > 0:
        yield Evidence(
            where=where,
            saw=f"the penalty is {penalty.value:.4g} where the loss is {penalty.data_loss:.4g}",
            wanted=f"at most {limits.share:g} times the loss",
            cause="hp-regularisation",
            severity=Severity.WARNING,
            likely="the coefficient is too large, or weights are summed where they should be averaged",
            do="divide the coefficient by ten until the penalty is a small part of the loss",
            numbers=numbers,
        )


CHECK = Check(
    id="FL233",
    summary="the regularizer rewards what it should punish, or drowns the data",
    causes=("loss-sign", "hp-regularisation"),
    likely="the penalty is subtracted instead of added",
    fix="add the penalty to the loss with a positive coefficient",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
