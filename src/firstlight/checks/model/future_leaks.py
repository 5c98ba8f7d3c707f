"""A model that should predict the next position can see it.

## What it sees
The targets are the inputs shifted by one, and the output at a position depends on later positions: the target is in the
input. The loss falls fast and means nothing.

## When it is fine
Masked or bidirectional models have other targets and are not probed for this.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.timelines import Dependence


def find(dependence: Dependence, _limits: NoLimits) -> Found:
    if dependence.kind != "future" or not dependence.others:
        return
    yield Evidence(
        where=at(dependence.site, step=dependence.step, rank=dependence.rank),
        saw=f"the output at a position depends on {dependence.others} of the {dependence.of} positions after it, "
        "and the target is the next position",
        wanted="outputs that depend on no later position",
        numbers={"later": dependence.others, "of": dependence.of},
    )


CHECK = Check(
    id="FL408",
    summary="a model that should predict the next position can see it",
    causes=("arch-mask", "data-leak-future"),
    likely="the causal mask is missing, inverted, or not passed to one of the layers",
    fix="pass a causal mask (or `is_causal=True`) to every attention layer",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
