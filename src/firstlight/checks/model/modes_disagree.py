"""After a short training the model performs differently in eval mode than in train mode, on the same batch.

## What it sees
The loss and outputs of one batch that it was trained on, in train mode with dropout off and in eval mode: the only
difference left between the two is the running statistics of the batch norms. A dropout so strong that hardly anything
passes is reported as well.

## When it is fine
In the first steps the running statistics lag behind; they are judged only after some steps.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import ModeGap


class Limits(Settable):
    loss_gap: float = 1.0
    """Largest increase of the loss in eval mode, relative to that in train mode; healthy batch norms stay below 0.3
    after a hundred steps."""
    cosine: float = 0.98
    """Smallest cosine of the outputs in the two modes; batch norms that follow the data keep them closer."""
    steps: int = 60
    """Fewest steps of training; with the usual momentum the statistics have settled by then."""
    dropout: float = 0.9
    """Smallest probability to drop at which hardly anything passes."""


def find(gap: ModeGap, limits: Limits) -> Found:
    where = at(gap.site, rank=gap.rank)
    if gap.strongest_dropout >= limits.dropout:
        yield Evidence(
            where=where,
            saw=f"a dropout layer drops {gap.strongest_dropout:.0%} of its values",
            wanted=f"less than {limits.dropout:.0%}",
            cause="hp-regularisation",
            likely="the probability to keep is given, but torch expects the probability to drop",
            do="use a dropout of 0.1 to 0.5",
        )
    losses = (gap.without_dropout, gap.eval_loss)
    if not gap.batch_norms or gap.steps < limits.steps or not all(map(math.isfinite, losses)):
        return
    apart = (gap.eval_loss - gap.without_dropout) / max(abs(gap.without_dropout), abs(gap.train_loss), 1e-3)
    if apart > limits.loss_gap and gap.cosine < limits.cosine:
        yield Evidence(
            where=where,
            saw=f"one batch has a loss of {gap.without_dropout:.3g} in train mode and {gap.eval_loss:.3g} in eval mode",
            wanted="about the same: dropout is off in both",
            numbers={"train": gap.without_dropout, "eval": gap.eval_loss, "cosine": gap.cosine},
        )


CHECK = Check(
    id="FL440",
    summary="the model behaves differently in eval mode than in training",
    causes=("arch-norm", "hp-regularisation"),
    likely="running statistics of batch norms that do not follow the data: tiny batches, or an unusual momentum",
    fix="use larger batches, momentum 0.1, or a norm that does not depend on the batch",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
