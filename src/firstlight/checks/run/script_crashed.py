"""The script ended with an error of its own.

## What it sees
The process ended with a non-zero code or a signal that firstlight did not send. The line is the last one of the
user's own code in the traceback.

## When it is fine
A script that needs standard input, a file or a device that is absent here fails under check as it would elsewhere.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.facts import ScriptOutcome
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


def find(outcome: ScriptOutcome, _limits: NoLimits) -> Iterator[Evidence]:
    if outcome.ended not in ("crashed", "killed"):
        return
    trained = f"after {outcome.steps} training steps" if outcome.steps else "before the first training step"
    yield Evidence(
        where=at(outcome.site, step=outcome.steps or None),
        saw=f"{outcome.message or f'exit code {outcome.exit_code}'} ({trained})",
        wanted="a script that runs until it is stopped",
        do="firstlight runs the script without standard input: give it its answers as arguments"
        if outcome.wants_input
        else None,
    )


CHECK = Check(
    id="FL002",
    name="script-crashed",
    summary="the script stopped with an error of its own",
    causes=("unknown",),
    likely="the error above; the same command without firstlight should show it too",
    fix="read the end of the script's output below, mend it, and check again",
    severity=Severity.ERROR,
    confidence=0.5,
    needs=ScriptOutcome,
    find=find,
)
