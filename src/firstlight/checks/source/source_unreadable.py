"""A file could not be read, so nothing is known about it.

## What it sees
A syntax error, an encoding that cannot be decoded, null bytes, a notebook that is not valid, or a file that is too
large or nested too deeply.

## When it is fine
Templates and sources for another version of Python are not meant to be read by this one.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile, Spot


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if source.problem is not None:
        yield Evidence(
            where=Spot(source.path, source.problem.line).where,
            saw=source.problem.what,
            wanted="Python that can be read",
        )


CHECK = Check(
    id="FL799",
    summary="the file could not be read and was not checked",
    causes=("unknown",),
    likely="it is broken, or not Python of this version",
    fix="run `python -m py_compile` on it",
    severity=Severity.NOTE,
    confidence=0.99,
    find=find,
)
