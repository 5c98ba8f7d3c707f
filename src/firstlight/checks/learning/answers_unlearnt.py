"""What had been learnt is lost again within the run.

## What it sees
The loss with true answers lay well below that with answers of other examples, so something was learnt; and for the rest
of what was watched the two are alike. The learning rate on the way tells more: where it has risen since, it is the rate
that the network did not bear.

## When it is fine
A new stage whose answers are others begins without knowing them: it is reported only where it does not learn them
either. Answers that the network had a hand in, and programs with several optimizers, are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.learning import Unlearnt


class Limits(Settable):
    rise: float = 1.5
    """Times the rate half-way to that step: a rate that grew so much until then, and not long before, is to blame."""


def find(lost: Unlearnt, limits: Limits) -> Found:
    if lost.optimizers > 1:
        return
    gone, rose = lost.gone, bool(lost.rate and lost.risen and lost.risen >= limits.rise * lost.rate)
    course = f"; the learning rate had risen from {lost.rate:.3g} to {lost.risen:.3g} by then" if rose else ""
    yield Evidence(
        where=at(lost.built if rose else lost.site, step=gone.since, rank=lost.rank),
        saw=f"by step {gone.best_at} the loss was {gone.best_loss:.3g}, {gone.best:.2g} below that with answers of "
        f"other examples; from step {gone.since} on it is {gone.loss:.3g}, and whose answers they are "
        f"makes {abs(gone.gap):.1g}{course}",
        wanted="a program that keeps what it has learnt",
        cause="hp-lr-high" if rose else "unknown",
        do=f"lower the highest rate of the schedule, at most to {lost.rate:.2g}, and check again" if rose else None,
        confidence=0.9 if rose else None,
        numbers={"best": gone.best, "gap": gone.gap, "rate": lost.rate, "risen": lost.risen},
    )


CHECK = Check(
    id="FL541",
    summary="what had been learnt is lost again within the run",
    causes=("hp-lr-high", "unknown"),
    likely="a learning rate that became too high, weights that were reset, or data that changed under the run",
    fix="print the learning rate and the loss around that step, and see what changed there",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
    symptom=True,
)
