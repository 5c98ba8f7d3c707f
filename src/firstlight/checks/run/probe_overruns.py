"""A probe of the experiment takes far longer than it may.

## What it sees
A probe was ended after the time it may take at most (more on a machine that is busy with other work), or its process
died. What it was to answer is not answered.

## When it is fine
Large models and slow storage need more: choose a smaller batch for the check, or `--profile quick`.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, Where
from firstlight.records.declared import ProbeEnded


def find(probe: ProbeEnded, _limits: NoLimits) -> Found:
    if probe.overran:
        yield Evidence(
            where=Where(module=probe.name),
            saw=f"the probe `{probe.name}` was ended after {probe.seconds:.1f} s",
            wanted=f"about {probe.typical_seconds:g} s, at most {probe.most_seconds:g} s",
            do=probe.action,
            numbers={"seconds": probe.seconds, "most_seconds": probe.most_seconds},
        )
    elif probe.fault:
        yield Evidence(
            where=Where(module=probe.name),
            saw=f"the probe `{probe.name}` failed: {probe.fault}",
            wanted="an answer",
            cause="unknown",
            likely="a fault of firstlight, or the process ran out of memory",
            do="report it with the run directory; leave the probe's checks out with `--ignore` until then",
        )


CHECK = Check(
    id="FL031",
    summary="a probe takes far longer than it may, and its question is left open",
    causes=("env-input-bound", "unknown"),
    likely="the loader or the model is slow, or the loader never ends",
    fix="time one batch and one step by themselves",
    severity=Severity.WARNING,
    confidence=0.5,
    find=find,
)
