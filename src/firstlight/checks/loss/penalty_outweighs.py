"""A penalty on weights or outputs pulls at them many times as hard as the data do.

## What it sees
Weights enter the loss by themselves: the sum of their squares, their sizes, however it is written. That part is
computed again from the weights alone, and its gradient is held against what else the backward gave the same weights,
which came through the data. So are the terms of the loss that meet no answer, such as a total variation of outputs:
their gradient at the outputs is held against that of the terms which compare the same outputs with answers. It is many
times as large at every look of the first steps, when the data should pull hardest.

## When it is fine
A prior over weights that is meant to rule until many examples have been seen, as in Bayesian networks. Late in training
the two are in balance; only the first steps are looked at. Weight decay of the optimizer is not a part of the loss.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import OUTPUTS, PenaltySeen


class Limits(Settable):
    times: float = 30.0
    """The norm of the gradients through the data; usual penalties stay below a tenth of it."""
    looks: int = 2
    """At all of which it is so; the first alone may be odd."""


def find(penalised: PenaltySeen, limits: Limits) -> Found:
    if penalised.looks < limits.looks or not penalised.own > limits.times * penalised.through:
        return
    wish = penalised.on == OUTPUTS
    what, comes = ("terms without answers", "by the answers") if wish else ("the penalty", "through the data")
    yield Evidence(
        where=at(penalised.site, step=penalised.step, rank=penalised.rank),
        saw=f"the gradient of {what} has a norm of {penalised.own:.3g}, and that which comes {comes} "
        f"{penalised.through:.3g}, at the best of {penalised.looks} looks",
        wanted="a penalty that bends what the data say, and does not outweigh it",
        cause="loss-scale" if wish else None,
        numbers={"own": penalised.own, "through": penalised.through},
    )


CHECK = Check(
    id="FL228",
    summary="a penalty on weights or outputs pulls many times as hard as the data",
    causes=("loss-conflict", "loss-scale", "hp-regularisation"),
    likely="the weight of the penalty is too large by orders of magnitude, or it is summed where a mean was meant",
    fix="divide the weight of the penalty by a thousand, and see whether the rest of the loss falls",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
