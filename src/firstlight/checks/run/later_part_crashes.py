"""A later part of the program raises an error.

## What it sees
A copy of the program, run from start to end with every training loop cut short after a few iterations, raised an
error. A second copy, shortened in a different way, raised the same error on the same line; if the shortening could
have caused such an error, a third copy that was not shortened raised it as well. Alternatively, a learning rate
schedule raises when it is stepped as often as the whole program will step it.

## When it is fine
A part that needs something absent here (a device, a server, a large file written by native code) fails only in the
copy, whose writes are kept separate.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.checks.run.script_crashed import KNOWN
from firstlight.records.places import Site
from firstlight.records.rehearsal import Rehearsal


def find(rehearsal: Rehearsal, _limits: NoLimits) -> Found:
    for schedule in rehearsal.breaks:
        yield Evidence(
            where=at(schedule.site),
            saw=f"`{schedule.schedule}` allows {schedule.at} steps, but the whole program makes about "
            f"{schedule.expected}: {schedule.message}",
            wanted="a schedule that lasts as long as the training",
            cause="train-schedule",
            do="step it once per epoch, or construct it for `epochs * len(loader)` steps",
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
    summary="a later part of the program raises an error that the first steps do not show",
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
    likely="this part of the program has never run with the current code",
    fix="fix the line, then confirm that the program reaches its end: `firstlight rehearse` with the same command",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
