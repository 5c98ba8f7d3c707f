"""Raw scores go into a loss that expects (log-)probabilities.

## What it sees
`nll_loss` or `kl_div` is given values that are not log-probabilities: some are positive, or the log-sum-exp of the rows
is not zero. `nll_loss` accepts them silently, and its value runs to minus infinity.

## When it is fine
`nll_loss` over scores that a custom layer has normalized in another way (energy models) is rare; allow the check on
that line.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite

FUNCTIONS = {"nll_loss": "log_softmax", "kl_div": "log_softmax"}


class Limits(Settable):
    logsum_error_nats: float = 0.05
    """Largest distance of the log-sum-exp from 0; in half precision, true log-probabilities stay within a hundredth."""
    calls: int = 2
    """Fewest calls; a single one may be a test."""


def find(loss: LossSite, limits: Limits) -> Found:
    activation = FUNCTIONS.get(loss.function)
    error = loss.class_logsum_error
    if activation is None or loss.calls < limits.calls or error is None or not error > limits.logsum_error_nats:
        return
    if loss.made_by == "log_softmax":
        return  # normalized over a different axis than the one judged here
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"`{loss.function}` is given values from {loss.prediction.low:.3g} to {loss.prediction.high:.3g} "
        f"whose rows have a log-sum-exp {error:.2g} away from 0",
        wanted="log-probabilities: no value above 0, log-sum-exp 0",
        numbers={"logsum_error": error, "high": loss.prediction.high},
    )


CHECK = Check(
    id="FL202",
    summary="raw scores go into a loss that expects log-probabilities",
    causes=("loss-missing-activation",),
    likely="the model returns logits and `log_softmax` was forgotten",
    fix="use `F.cross_entropy` on the logits, or apply `F.log_softmax(…, dim=1)` first",
    severity=Severity.ERROR,
    confidence=0.96,
    exhaustive=True,
    find=find,
)
