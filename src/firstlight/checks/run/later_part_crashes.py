"""A part of the program that comes later ends in an error.

## What it sees
A copy of the program ran all of it, with every loop that trains ended after a few rounds, and raised. A second copy
that was shortened in another way raised the same error on the same line; where fewer rounds can bring such an error
about, so did a third one that was not shortened. Or a schedule of the learning rate, stepped on as often as the whole
program will, raises.

## When it is fine
A part that needs what is absent here (a device, a server, a large file written outside of Python) fails in the copy
only: what it writes is kept apart.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.checks.run.script_crashed import KNOWN
from firstlight.records.places import Site
from firstlight.records.rehearsal import Rehearsal


def find(rehearsal: Rehearsal, _limits: NoLimits) -> Found:
    for schedule in rehearsal.breaks:
        yield Evidence(
            where=at(schedule.site),
            saw=f"`{schedule.schedule}` takes {schedule.at} steps, and the whole program makes about "
            f"{schedule.expected} of them: {schedule.message}",
            wanted="a schedule that is as long as the training",
            cause="train-schedule",
            do="step it once per epoch, or make it for `epochs * len(loader)` steps",
            numbers={"takes": schedule.at, "makes": schedule.expected},
        )
    if not (rehearsal.crashed and rehearsal.own):
        return
    known = next((each for each in KNOWN if all(piece in rehearsal.message for piece in each.pieces)), None)
    yield Evidence(
        where=at(rehearsal.site),
        saw=f"{rehearsal.message}{_by_way_of(rehearsal.trace)}, after {rehearsal.steps} steps of the shortened program",
        wanted="a program that reaches its last line",
        cause=known.cause if known is not None and known.cause in CHECK.causes else None,
        confidence=known.confidence if known is not None else None,
        do=known.do if known is not None else None,
        numbers={"steps": rehearsal.steps, "evaluations": rehearsal.evaluations, "checkpoints": rehearsal.checkpoints},
    )


def _by_way_of(trace: tuple[Site, ...]) -> str:
    """The calls that led there, in the user's own files."""
    calls = [f"`{site.function}` ({site})" for site in trace if site.function and not site.function.startswith("<")]
    return f" in {', called by '.join(reversed(calls))}" if calls else ""


CHECK = Check(
    id="FL004",
    summary="a later part of the program ends in an error, which the first steps do not show",
    causes=(
        "unknown",
        "data-label-range",
        "data-schema",
        "env-memory",
        "arch-norm",
        "train-state-leak",
        "train-checkpoint",
        "train-schedule",
        "loss-missing-activation",
    ),
    likely="that part was never reached with the code as it is now",
    fix="mend the line, and see the program reach its end: `firstlight rehearse` and the same command",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
