"""Training waits for its batches most of the time.

## What it sees
The time from one batch of the training loader to the next, with a step in between, and how much of it is spent on
nothing but loading. Watching makes the rest longer, so the real share is higher than the one given here.

## When it is fine
Batches that arrive within milliseconds are not reported, whatever their share: small models always wait.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.program import Waiting


class Limits(Settable):
    batches: int = 10
    """Fewest batches; fewer show nothing."""
    share: float = 0.75
    """Smallest share of the time; from here on training could be several times as fast."""
    shortest_s: float = 0.02
    """Fewest seconds of waiting for a batch, on average; with less, there is nothing to gain."""


def find(waiting: Waiting, limits: Limits) -> Found:
    if waiting.batches < limits.batches:
        return
    if not limits.shortest_s * waiting.batches <= waiting.waited >= limits.share * waiting.elapsed:
        return
    each, share = waiting.waited / waiting.batches, waiting.waited / max(waiting.elapsed, waiting.waited)
    yield Evidence(
        where=at(waiting.site, step=waiting.step, rank=waiting.rank),
        saw=f"{share:.0%} of the time is spent waiting for batches of `{waiting.dataset}`, {each:.3f} s for each, "
        f"with {waiting.workers} workers",
        wanted=f"less than {limits.share:.0%}",
        numbers={"share": share, "each_s": each, "workers": waiting.workers},
    )


CHECK = Check(
    id="FL110",
    summary="training waits for its batches most of the time",
    causes=("env-input-bound",),
    likely="files are read or parsed again for every example, or the loader has too few workers",
    fix="read and prepare the data once, outside `__getitem__`; raise `num_workers`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
