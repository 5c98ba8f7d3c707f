"""A target is computed from the state it belongs to, not from the next one.

## What it sees
`reward + discount * network(state)`, in a function that predicts for the same `state` and also has a next state.

## When it is fine
Loops that advance (`state = next_state`) between the two, and functions without a next state, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Bootstrap


def find(bootstrap: Bootstrap, _limits: NoLimits) -> Found:
    if not bootstrap.instead_of:
        return
    yield Evidence(
        where=bootstrap.spot.where,
        saw=f"the target calls `{bootstrap.network}` on `{bootstrap.given}`, the state that the prediction is for",
        wanted=f"the value of `{bootstrap.instead_of}`",
    )


CHECK = Check(
    id="FL771",
    summary="the target uses the value of the state itself, not of the next one",
    causes=("rl-target",),
    likely="the wrong variable was passed to the network",
    fix="call the network on the next state",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
