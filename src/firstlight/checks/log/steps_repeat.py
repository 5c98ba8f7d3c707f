"""Steps or epochs in a log repeat, go backwards or leave gaps.

## What it sees
The steps in a writer's events do not increase, or its epochs are not consecutive, without a `resume`, `fold_start` or
new start in between.

## When it is fine
After a crash, a run resumes from its last checkpoint and repeats some steps: write a `resume` event there.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(log, "steps")


CHECK = Check(
    id="FL807",
    summary="steps repeat, go backwards or leave gaps",
    causes=("data-schema", "train-checkpoint"),
    likely="the run was resumed without saying so, a counter was reset, or two runs share the file",
    fix="write a `resume` event when a checkpoint is loaded, and count steps over the whole run",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
