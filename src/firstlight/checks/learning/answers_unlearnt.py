"""What was learned is lost again within the run.

## What it sees
The loss with true targets was well below that with the targets of other examples, so something was learned; but for the
rest of the steps watched the two are alike. If the learning rate has risen in the meantime, the rate is named as the
cause: it became too high for the network.

## When it is fine
A new stage with different targets starts without knowing them; it is reported only if it does not learn them either.
Targets that the network had a part in, and programs with several optimizers, are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.learning import Unlearnt


class Limits(Settable):
    rise: float = 1.5
    """Smallest factor by which the learning rate must have risen since half-way to that step to be blamed."""


def find(lost: Unlearnt, limits: Limits) -> Found:
    if lost.optimizers > 1:
        return
    gone, rose = lost.gone, bool(lost.rate and lost.risen and lost.risen >= limits.rise * lost.rate)
    course = f"; the learning rate had risen from {lost.rate:.3g} to {lost.risen:.3g} by then" if rose else ""
    yield Evidence(
        where=at(lost.built if rose else lost.site, step=gone.since, rank=lost.rank),
        saw=f"by step {gone.best_at} the loss was {gone.best_loss:.3g}, {gone.best:.2g} below that with targets of "
        f"other examples; from step {gone.since} on it is {gone.loss:.3g}, and shuffling the targets changes "
        f"it by only {abs(gone.gap):.1g}{course}",
        wanted="a program that keeps what it has learned",
        cause="hp-lr-high" if rose else "unknown",
        do=f"lower the highest rate of the schedule, at most to {lost.rate:.2g}, and check again" if rose else None,
        confidence=0.9 if rose else None,
        numbers={"best": gone.best, "gap": gone.gap, "rate": lost.rate, "risen": lost.risen},
    )


CHECK = Check(
    id="FL541",
    summary="what was learned is lost again within the run",
    causes=("hp-lr-high", "unknown"),
    likely="a learning rate that became too high, weights that were reset, or data that changed during the run",
    fix="print the learning rate and the loss around that step, and see what changed there",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
    symptom=True,
)
