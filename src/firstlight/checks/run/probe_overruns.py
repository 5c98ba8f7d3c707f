"""A probe of the experiment exceeded its time limit.

## What it sees
A probe was stopped at its time limit (which is longer on a machine that is busy with other work), or its process died.
The question it was meant to answer stays open.

## When it is fine
Large models and slow storage need more time: use a smaller batch for the check, or `--profile quick`.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, Where
from firstlight.records.declared import ProbeEnded


def find(probe: ProbeEnded, _limits: NoLimits) -> Found:
    if probe.overran:
        yield Evidence(
            where=Where(module=probe.name),
            saw=f"the probe `{probe.name}` was stopped after {probe.seconds:.1f} s",
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
            likely="a bug in firstlight, or the process ran out of memory",
            do="report it along with the run directory; until it is fixed, skip the probe's checks with `--ignore`",
        )


CHECK = Check(
    id="FL031",
    summary="a probe exceeded its time limit, so its question stays open",
    causes=("env-input-bound", "unknown"),
    likely="the loader or the model is slow, or the loader never ends",
    fix="time one batch and one step on their own",
    severity=Severity.WARNING,
    confidence=0.5,
    find=find,
)
