"""The training set is not what the code makes of the raw data today.

## What it sees
Some examples of the training set beside the same ones made by the declared `fresh`, value by value.

## When it is fine
Random augmentation inside the data set: let `fresh` make the example without it, and compare the set without it too.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import CacheTried


def find(tried: CacheTried, _limits: NoLimits) -> Found:
    if tried.differing:
        yield Evidence(
            where=at(tried.site, rank=tried.rank),
            saw=f"{tried.differing} of {tried.examples} examples differ from the same ones made anew; "
            f"example {tried.first}: {tried.told}",
            wanted="the same values",
            numbers={"differing": tried.differing, "examples": tried.examples},
        )


CHECK = Check(
    id="FL136",
    summary="the training set differs from what the code makes of the raw data",
    causes=("data-cache-stale",),
    likely="a cache made before the last change of the preprocessing",
    fix="delete the cache and make it anew, under a name that changes with the code and its settings",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
