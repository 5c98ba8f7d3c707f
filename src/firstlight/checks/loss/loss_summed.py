"""The loss is summed over the batch, but the learning rate was chosen for its mean.

## What it sees
A loss function is called with `reduction="sum"`, so the gradient grows with the batch. A copy of the program whose
gradients are divided by the number of examples decides: if the copy learns and the program hardly does, the note
becomes a warning; if the copy is no better, nothing is reported.

## When it is fine
A sum with a learning rate that fits it trains as well as a mean, and is not reported. Nor is a sum that is divided by a
number of examples before backward is called on it, for example where the tokens of several batches are counted
together.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    rows: int = 8
    """Fewest examples in a batch; in smaller batches a sum is hardly more than a mean."""


def find(loss: LossSite, limits: Limits) -> Found:
    shape = loss.prediction.shape
    if loss.reduction != "sum" or not shape or shape[0] < limits.rows:
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"`{loss.function}` sums over {shape[0]} examples",
        wanted="a mean, whose gradient does not grow with the batch",
        numbers={"rows": shape[0]},
    )


CHECK = Check(
    id="FL213",
    summary="the loss is summed over the batch and its gradient is too large",
    causes=("loss-scale",),
    likely='`reduction="sum"` with a learning rate meant for a mean',
    fix="leave `reduction` at its default, the mean",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.3,
    find=find,
    repairs=("mean-reduction",),
)
