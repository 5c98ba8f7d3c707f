"""Calls of the model raise, the program catches that and goes on without them.

## What it sees
In training, calls of the model that end in an exception, against those that return. A program that was not ended by the
exception has caught it: those batches are never trained on.

## When it is fine
A rare batch that is too large, caught and left out, is a choice: below a twentieth of the calls nothing is said.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.failing import Failing


class Limits(Settable):
    failed: int = 3
    """Fewer may be an accident, or the exception that ended the program."""
    share: float = 0.05
    """Of all calls in training."""
    grave: float = 0.2
    """From here on a good part of the data is never trained on."""


def find(failing: Failing, limits: Limits) -> Found:
    calls = failing.failed + failing.returned
    if failing.failed < limits.failed or failing.failed < limits.share * calls:
        return
    yield Evidence(
        where=at(failing.site, module=failing.module, step=failing.step, rank=failing.rank),
        saw=f"{failing.failed} of {calls} training calls of `{failing.module}` ended in an exception that the program "
        f"swallowed: {failing.error}",
        wanted="no exception, or one that ends the program",
        severity=Severity.ERROR if failing.failed >= limits.grave * calls else Severity.WARNING,
        numbers={"failed": failing.failed, "returned": failing.returned},
    )


CHECK = Check(
    id="FL003",
    summary="training goes on past batches whose call of the model raised",
    causes=("train-swallowed",),
    likely="a `try` around the step catches every exception, also those that tell of a bug",
    fix="let the exception through, mend what it tells of, and catch only what is expected",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
