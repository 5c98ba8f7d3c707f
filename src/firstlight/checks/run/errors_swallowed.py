"""Calls of the model raise exceptions that the program catches and ignores.

## What it sees
How many training calls of the model end in an exception, and how many return. If the program goes on after the
exception, it caught it, and those batches are never trained on.

## When it is fine
Skipping the occasional batch that is too large is a choice: nothing is reported below one call in twenty.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.failing import Failing


class Limits(Settable):
    failed: int = 3
    """Fewest failed calls to report; fewer may be an accident, or the exception that ended the program."""
    share: float = 0.05
    """Smallest share of all training calls that must have failed."""
    grave: float = 0.2
    """Share of failed calls from which on it is an error: a good part of the data is never trained on."""


def find(failing: Failing, limits: Limits) -> Found:
    calls = failing.failed + failing.returned
    if failing.failed < limits.failed or failing.failed < limits.share * calls:
        return
    yield Evidence(
        where=at(failing.site, module=failing.module, step=failing.step, rank=failing.rank),
        saw=f"{failing.failed} of {calls} training calls of `{failing.module}` ended in an exception that the program "
        f"swallowed: {failing.error}",
        wanted="training calls that return, or an exception that ends the program",
        severity=Severity.ERROR if failing.failed >= limits.grave * calls else Severity.WARNING,
        numbers={"failed": failing.failed, "returned": failing.returned},
    )


CHECK = Check(
    id="FL003",
    summary="training skips batches for which calling the model raised an exception",
    causes=("train-swallowed",),
    likely="a `try` around the step catches every exception, including those caused by bugs",
    fix="let the exception through, fix what it reports, and catch only what is expected",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
