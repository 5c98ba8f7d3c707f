"""The model's factory returns a different model each time, or always the same one.

## What it sees
Two builds from the same seed have parameters with different names or shapes, or are the very same module; every check
that needs a fresh start would then train on.

## When it is fine
A lambda around a module that already exists is harmless here; pass the module itself.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import Built


def find(built: Built, _limits: NoLimits) -> Found:
    if not built.same_again:
        yield Evidence(
            where=at(built.site, rank=built.rank),
            saw=f"two builds of `{built.model}` differ in the names or shapes of their parameters",
            wanted="the same names and shapes in every build",
        )
    elif built.shared:
        yield Evidence(
            where=at(built.site, rank=built.rank),
            saw=f"the factory returns the same `{built.model}` again instead of a new one",
            wanted="a new model at every call",
            severity=Severity.NOTE,
            likely="a lambda returns a module that was built before",
            do="build the model inside the factory, or pass the module itself",
        )


CHECK = Check(
    id="FL445",
    summary="two builds of the model differ, or are one and the same",
    causes=("train-checkpoint",),
    likely="sizes are taken from a global that changes, or from an unordered set",
    fix="make the factory depend on its configuration alone: otherwise no checkpoint will fit",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
