"""The model's factory gives another model each time, or always the same one.

## What it sees
Two builds from the same seed: parameters with other names or shapes, or the very same module twice, which every check
that wants a fresh start would go on training.

## When it is fine
A lambda around a module that exists already is harmless here; pass the module itself.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import Built


def find(built: Built, _limits: NoLimits) -> Found:
    if not built.same_again:
        yield Evidence(
            where=at(built.site, rank=built.rank),
            saw=f"two builds of `{built.model}` differ in the names or shapes of their parameters",
            wanted="the same parameters at every build",
        )
    elif built.shared:
        yield Evidence(
            where=at(built.site, rank=built.rank),
            saw=f"the factory gives the same `{built.model}` again instead of a new one",
            wanted="a new model at every call",
            severity=Severity.NOTE,
            likely="a lambda around a module that was built before",
            do="build the model inside the factory, or pass the module itself",
        )


CHECK = Check(
    id="FL445",
    summary="two builds of the model are not alike",
    causes=("train-checkpoint",),
    likely="sizes taken from a global that changes, or from an unordered set",
    fix="make the factory depend on its configuration alone: no checkpoint will fit otherwise",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
