"""A penalty on weights or outputs pulls many times as hard as the data.

## What it sees
Two kinds of penalty are measured. Weights can enter the loss directly: as the sum of their squares, their absolute
values, or anything else. That part is computed again from the weights alone, and its gradient is compared with the rest
of the gradient that the backward gave to the same weights, which came through the data. And a term of the loss may
involve no target, such as a total variation of the outputs. Its gradient at the outputs is compared with that of the
terms which compare the same outputs with targets. The penalty's gradient is many times as large at every look in the
first steps, when the data should pull hardest.

## When it is fine
A prior over weights may be meant to dominate until many examples have been seen, as in Bayesian networks. Late in
training the two are in balance; only the first steps are looked at. Weight decay in the optimizer is not a part of the
loss.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import OUTPUTS, PenaltySeen


class Limits(Settable):
    times: float = 30.0
    """Largest ratio of the penalty's gradient norm to that through the data; usual penalties stay below a tenth."""
    looks: int = 2
    """Fewest looks, at all of which it is so; the first alone may be unusual."""


def find(penalised: PenaltySeen, limits: Limits) -> Found:
    if penalised.looks < limits.looks or not penalised.own > limits.times * penalised.through:
        return
    wish = penalised.on == OUTPUTS
    what, comes = ("terms without targets", "from the targets") if wish else ("the penalty", "through the data")
    yield Evidence(
        where=at(penalised.site, step=penalised.step, rank=penalised.rank),
        saw=f"the gradient of {what} has a norm of {penalised.own:.3g}, and what comes {comes} one of "
        f"{penalised.through:.3g}, at the best of {penalised.looks} looks",
        wanted="a penalty that adjusts what the data say, and does not outweigh it",
        cause="loss-scale" if wish else None,
        numbers={"own": penalised.own, "through": penalised.through},
    )


CHECK = Check(
    id="FL228",
    summary="a penalty on weights or outputs pulls many times as hard as the data",
    causes=("loss-conflict", "loss-scale", "hp-regularisation"),
    likely="the weight of the penalty is orders of magnitude too large, or it is summed where a mean was meant",
    fix="divide the weight of the penalty by a thousand, and see whether the rest of the loss falls",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
