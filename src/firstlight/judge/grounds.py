"""Whether there is ground to judge on. Where there is none, finding nothing means nothing."""

from collections.abc import Sequence

from firstlight.checks.declare import Check
from firstlight.judge.evidence import Judged
from firstlight.records.declared import Built
from firstlight.records.facts import ScriptOutcome
from firstlight.records.report import CheckOutcome, Status
from firstlight.settings import is_about_the_run

FEWEST_STEPS = 8
"""A run that is cut short before it has made so many is not judged; the first steps alone show a few illnesses only."""
ENDED_BY_ITSELF = ("finished", "crashed", "killed")


def without_grounds(outcome: ScriptOutcome, outcomes: Sequence[CheckOutcome], asked: Sequence[str]) -> str | None:
    """Why a script that was watched cannot be judged; None where it can. `asked` are the checks selected by name."""
    if outcome.steps == 0 or outcome.ended in ("faulted", "refused"):
        return why_unjudged(outcome)
    if outcome.steps < FEWEST_STEPS and outcome.ended not in ENDED_BY_ITSELF:
        pace = outcome.seconds / outcome.steps
        return (
            f"only {outcome.steps} step{'s' * (outcome.steps > 1)} in {outcome.seconds:.0f} s, but at least "
            f"{FEWEST_STEPS} are needed. Pass --seconds {max(60, round(2 * FEWEST_STEPS * pace, -1)):.0f}, "
            "or use a smaller batch or model for the check"
        )
    return unanswered(outcomes, asked)


def unanswered(outcomes: Sequence[CheckOutcome], asked: Sequence[str]) -> str | None:
    """A check that was asked for by name and could not run leaves its question open."""
    open_ = [one for one in outcomes if one.name in asked and one.status in (Status.SKIPPED, Status.CRASHED)]
    if not open_:
        return None
    told = "; ".join(f"{one.id} {one.name} ({one.reason})" for one in open_)
    return f"asked for, but not answered: {told}"


def why_unjudged(outcome: ScriptOutcome) -> str:
    if outcome.ended == "faulted":
        return (
            f"a fault in firstlight, not in your program: under observation it ended with {outcome.message!r}, "
            "and without observation it did not. Nothing was observed; the output below shows us what to fix"
        )
    if outcome.ended == "refused":
        return (
            f"the script crashed because it could not write to {outcome.message}: a check holds that back, and cannot "
            "redirect what native code and child programs write there. To allow the write, pass --no-contain"
        )
    if outcome.ended == "silent":
        return (
            f"no training step within {outcome.seconds:.0f} s. If the script needs longer to start, "
            "raise --startup-seconds; if it is waiting for something, provide it"
        )
    if outcome.ended in ("crashed", "killed"):
        return f"the script ended before its first training step: {outcome.message or f'exit code {outcome.exit_code}'}"
    if outcome.backwards:
        return f"{outcome.backwards} backward passes but no optimizer step in the time given; raise --seconds"
    return f"the script finished (exit code {outcome.exit_code}) without training anything: backward was never called"


def without_pieces(known: Judged, checks: tuple[Check, ...], steps: int, untrained: str | None) -> str | None:
    """Of a declared experiment: why it cannot be judged. `untrained` says why no training was made, where one was
    wanted."""
    if (
        known.findings
        or steps
        or not (beyond := _beyond_building(known, checks))
        or any(one.status is Status.CLEAN for one in beyond)
    ):
        return None
    return f"nothing could be tested except that the model can be built: {untrained or beyond[0].reason}"


def limited_by(known: Judged, checks: tuple[Check, ...], steps: int, untrained: str | None) -> str | None:
    """Of a declared experiment that is clean without having been trained: how little that rests on."""
    if known.findings or steps or untrained is None or not (beyond := _beyond_building(known, checks)):
        return None
    asked = sum(outcome.status is Status.CLEAN for outcome in beyond)
    found = f"nothing found by the {asked} check{'s' * (asked != 1)} that could be run"
    return f"{found}; nothing was trained, because {untrained}"


def _beyond_building(known: Judged, checks: tuple[Check, ...]) -> list[CheckOutcome]:
    telling = {check.id for check in checks if not is_about_the_run(check) and check.needs is not Built}
    return [outcome for outcome in known.outcomes if outcome.id in telling]
