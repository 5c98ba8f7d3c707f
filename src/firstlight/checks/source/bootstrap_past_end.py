"""A target continues past the end of an episode.

## What it sees
`reward + discount * network(next)` in a function that reads nothing about the end of the episode (`done`, `terminal`, a
mask), although the program stores it with each transition. The value of the state after the last one then counts as if
the episode went on.

## When it is fine
Tasks without an end, or with time limits only, store no such flag and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Bootstrap


def find(bootstrap: Bootstrap, _limits: NoLimits) -> Found:
    if bootstrap.ends_used or not bootstrap.ends_stored:
        return
    yield Evidence(
        where=bootstrap.spot.where,
        saw=f"`{bootstrap.network}({bootstrap.given})` is added to the reward whether or not the episode has ended",
        wanted="the value of the next state times `(1 - done)`",
    )


CHECK = Check(
    id="FL770",
    summary="the target includes a value from after the end of the episode",
    causes=("rl-done",),
    likely="the stored `done` flag is not used where the target is computed",
    fix="multiply the discounted value by `(1 - done)`",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
