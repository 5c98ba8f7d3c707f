"""A target is made from the state it is for, not from the one that followed.

## What it sees
`reward + discount * network(state)`, in a function that makes its prediction for the same `state` and has a next state
at hand.

## When it is fine
Loops that move on (`state = next_state`) between the two, and functions without a next state, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Bootstrap


def find(bootstrap: Bootstrap, _limits: NoLimits) -> Found:
    if not bootstrap.instead_of:
        return
    yield Evidence(
        where=bootstrap.spot.where,
        saw=f"`{bootstrap.network}` is asked about `{bootstrap.given}`, for which the prediction is made too",
        wanted=f"the value of `{bootstrap.instead_of}`",
    )


CHECK = Check(
    id="FL771",
    summary="the target uses the value of the state itself, not of the next one",
    causes=("rl-target",),
    likely="the wrong variable was passed to the network",
    fix="ask the network about the next state",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
