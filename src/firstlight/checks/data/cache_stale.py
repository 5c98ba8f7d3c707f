"""The training set differs from what the code makes of the raw data today.

## What it sees
Some examples of the training set are compared, value by value, with the same examples made by the declared `fresh`.

## When it is fine
Random augmentation inside the dataset: let `fresh` make the example without it, and compare the dataset without it too.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import CacheTried


def find(tried: CacheTried, _limits: NoLimits) -> Found:
    if tried.differing:
        yield Evidence(
            where=at(tried.site, rank=tried.rank),
            saw=f"{tried.differing} of {tried.examples} examples differ from the same ones made now; "
            f"example {tried.first}: {tried.told}",
            wanted="the same values",
            numbers={"differing": tried.differing, "examples": tried.examples},
        )


CHECK = Check(
    id="FL136",
    summary="the training set differs from what the code makes of the raw data",
    causes=("data-cache-stale",),
    likely="a cache that is older than the last change to the preprocessing",
    fix="delete the cache and build it again, under a name that changes with the code and its settings",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
