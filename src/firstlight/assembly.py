"""From what was watched to the report: facts, findings, proof, verdict."""

import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from firstlight import __version__
from firstlight.checks.declare import Check
from firstlight.diagnosis.prove import prove
from firstlight.diagnosis.rank import rank
from firstlight.experiments.engine import NURSERY, fates, opened
from firstlight.experiments.engines.auto import TIMELINES
from firstlight.experiments.plan import Order
from firstlight.facts.derive import derive
from firstlight.facts.sources import READ_FROM_SOURCE
from firstlight.findings.gather import gather
from firstlight.findings.judge import judge
from firstlight.findings.suppress import suppress
from firstlight.observe.source.excerpts import excerpts
from firstlight.observe.watch import Watched
from firstlight.records import observed
from firstlight.records.containment import Contained
from firstlight.records.contrast import Contrast
from firstlight.records.declared import Built
from firstlight.records.facts import LossSite, ScriptOutcome
from firstlight.records.finding import Finding, Scalar, Severity
from firstlight.records.nonfinite import BadOperation
from firstlight.records.program import Ending, ProcessSeen, Unseen
from firstlight.records.report import REPORT_SCHEMA, CheckOutcome, Coverage, Report, Status, Subject, Timing, Verdict
from firstlight.records.symmetry import Symmetry
from firstlight.records.timelines import Behaviour, CustomGradient, Dependence, TimelineEnded
from firstlight.settings import is_about_the_run
from firstlight.store.run_directory import shown
from firstlight.trial import LOCALISED, contrasted

OUTPUT_LINES = 25
PROBES = "probes"
ANSWERS = (BadOperation, Behaviour, CustomGradient, Dependence, Symmetry)
ENDED = {
    "steps": "the step budget was spent",
    "time": "the time budget was spent",
    "exit": "the script finished",
    "finished": "the script finished",
    "stopped": "the time budget was spent",
    "silent": "no step came in time",
    "crashed": "the script crashed",
    "killed": "the script was killed",
    "refused": "it was refused a write",
    "faulted": "a fault of firstlight ended it",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that is known and said of one run."""

    facts: tuple[Any, ...]
    findings: tuple[Finding, ...]
    outcomes: tuple[CheckOutcome, ...]
    allowed: tuple[str, ...]
    orders: tuple[Order, ...] = ()


def judged(
    watched: Watched,
    checks: tuple[Check, ...],
    orders: list[Order],
    absent: Mapping[type, str | None] | None = None,
    read: tuple[Any, ...] = (),
) -> Judged:
    """`read` is what the program's source says; it counts once the program was seen training."""
    facts = [*derive([*watched.records, *_answers(watched)]), watched.outcome(), *(read if watched.backwards else ())]
    losses = [fact for fact in facts if isinstance(fact, LossSite)]
    contrast: Contrast | None = contrasted(watched, orders, losses)
    facts += [contrast] if contrast is not None else []
    found = judge(checks, facts, watched.backwards > 0, absent)
    kept, allowed = suppress(found.findings, Path.cwd())
    proven = prove(beyond_observed(kept, checks, found.outcomes), contrast, checks)
    gathered = gather(proven, symptoms=frozenset(check.id for check in checks if check.symptom))
    outcomes = settled(found.outcomes, gathered, kept)
    return Judged(tuple(facts), gathered, outcomes, allowed, tuple(orders))


def settled(
    outcomes: tuple[CheckOutcome, ...], findings: tuple[Finding, ...], kept: tuple[Finding, ...]
) -> tuple[CheckOutcome, ...]:
    """A check whose every finding was taken back is not ill; it says why. `kept` are those no comment allows."""
    stands, unallowed = {finding.id for finding in findings}, {finding.id for finding in kept}

    def told(outcome: CheckOutcome) -> CheckOutcome:
        if outcome.status is not Status.ILL or outcome.id in stands:
            return outcome
        why = "suspected, and not confirmed" if outcome.id in unallowed else "found, and allowed by a comment"
        return msgspec.structs.replace(outcome, status=Status.CLEAN, reason=why)

    return tuple(map(told, outcomes))


def beyond_observed(
    findings: tuple[Finding, ...], checks: tuple[Check, ...], outcomes: tuple[CheckOutcome, ...]
) -> tuple[Finding, ...]:
    """Of what was only read in the source: errors alone, and neither what was seen at work nor what was seen not to be.

    What may go wrong is for `firstlight lint` to say; here the program ran, and did or did not.
    """
    read = {check.id: check.at_work for check in checks if check.needs in READ_FROM_SOURCE}
    seen = {f.cause for f in findings if f.id not in read and f.severity is not Severity.NOTE}
    unasked = {outcome.name for outcome in outcomes if outcome.status is Status.SKIPPED}

    def counts(finding: Finding) -> bool:
        if finding.id not in read:
            return True
        open_question = not read[finding.id] or read[finding.id] in unasked
        return open_question and finding.severity is Severity.ERROR and finding.cause not in seen

    return tuple(filter(counts, findings))


def _answers(watched: Watched) -> list[observed.Observed]:
    """What copies were asked about the program; the steps of a copy that was asked are not the program's."""
    asked = [*watched.timelines.get(PROBES, ()), *watched.timelines.get(LOCALISED, ())]
    return [record for record in asked if isinstance(record, ANSWERS)]


def report_of(watched: Watched, known: Judged, subject: Subject) -> Report:
    outcome = watched.outcome()
    verdict, reason = _verdict(known.findings, outcome)
    shows_output = outcome.ended in ("crashed", "killed") or verdict is Verdict.UNJUDGED
    return Report(
        schema=REPORT_SCHEMA,
        subject=subject,
        verdict=verdict,
        findings=known.findings,
        diagnosis=rank(known.findings),
        checks=known.outcomes,
        coverage=coverage_of(watched, known),
        timing=timing_of(watched),
        environment=_environment(watched),
        reason=reason,
        output_tail=tuple(watched.lines[-OUTPUT_LINES:]) if shows_output else (),
        excerpts=excerpts(known.findings, Path.cwd()),
    )


def _verdict(findings: tuple[Finding, ...], outcome: ScriptOutcome) -> tuple[Verdict, str | None]:
    """A script that never trained is not judged, unless the reason why it could not is itself a finding."""
    severities = {finding.severity for finding in findings if finding.cause != "unknown"}
    if outcome.ended in ("faulted", "refused"):
        return Verdict.UNJUDGED, why_unjudged(outcome)
    if outcome.steps == 0 and Severity.ERROR not in severities:
        return Verdict.UNJUDGED, why_unjudged(outcome)
    return worst(findings), None


def declared_verdict(
    known: Judged, checks: tuple[Check, ...], steps: int, untrained: str | None
) -> tuple[Verdict, str | None]:
    """Where nothing was trained, it rests on what else could be asked; where nothing could, there is none.

    `untrained` says why there was no training, where one was wanted.
    """
    if known.findings or steps:
        return worst(known.findings), None
    telling = {check.id for check in checks if not is_about_the_run(check) and check.needs is not Built}
    beyond = [outcome for outcome in known.outcomes if outcome.id in telling]
    asked = [outcome for outcome in beyond if outcome.status is Status.CLEAN]
    if beyond and not asked:
        why = untrained or beyond[0].reason
        return Verdict.UNJUDGED, f"nothing could be asked but whether the model can be built: {why}"
    if untrained is None or not beyond:
        return Verdict.CLEAN, None
    found = f"nothing found by the {len(asked)} check{'s' * (len(asked) != 1)} that could be asked"
    return Verdict.CLEAN, f"{found}; nothing was trained, because {untrained}"


def worst(findings: tuple[Finding, ...]) -> Verdict:
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        return Verdict.ILL
    return Verdict.WARN if Severity.WARNING in severities else Verdict.CLEAN


def why_unjudged(outcome: ScriptOutcome) -> str:
    if outcome.ended == "faulted":
        return (
            f"a fault of firstlight, not of your program: under observation it ended with {outcome.message!r}, "
            "and once more without us it did not. Nothing was observed; the output below tells us what to mend"
        )
    if outcome.ended == "refused":
        return (
            f"the script crashed because it could not write to {outcome.message}: a check holds that back, and cannot "
            "redirect what native code and started programs write there. To let it write: --no-contain"
        )
    if outcome.ended == "silent":
        return (
            f"no training step within {outcome.seconds:.0f} s. If the script needs longer to start, "
            "raise --startup-seconds; if it waits for something, give it that"
        )
    if outcome.ended in ("crashed", "killed"):
        return f"the script ended before its first training step: {outcome.message or f'exit code {outcome.exit_code}'}"
    if outcome.backwards:
        return f"{outcome.backwards} backwards and no optimizer step in the time given; raise --seconds"
    return f"the script finished (exit code {outcome.exit_code}) without training anything: backward was never called"


def coverage_of(watched: Watched, known: Judged) -> Coverage:
    endings = watched.of(Ending)
    nursery = opened(watched)
    return Coverage(
        steps=watched.steps,
        seconds=round(watched.seconds, 3),
        ended=ENDED[endings[0].reason if endings and watched.fault is None else watched.outcome().ended],
        fault=watched.fault,
        held_back=tuple(dict.fromkeys(shown(path) for ending in endings for path in ending.held_back)),
        floor=str(watched.contained.floor) if watched.contained.floor is not None else None,
        started=watched.contained.started,
        reached=watched.contained.reached,
        experiments=tuple(sorted(set(watched.timelines) - {NURSERY})),
        engine=nursery.engine if nursery is not None else None,
        engine_reason=nursery.reason if nursery is not None else None,
        suppressed=known.allowed,
        limits=(
            f"only the first {watched.steps} steps were observed; later ones, and how well it generalises, were not"
            if watched.steps
            else "no training was observed: how it learns, and how well it generalises, is not known",
            *_open(watched.contained),
            *_unseen(watched),
            *_unmade(watched, known),
        ),
    )


def _open(contained: Contained) -> Iterator[str]:
    """By which the script may have changed something for good."""
    floor = contained.floor
    if floor is not None and not (floor.view or floor.landlock):
        yield "floor: none; patched layers only: what native code and started programs wrote was not held back"
    if contained.reached:
        yield f"the network was open: {', '.join(contained.reached)}"


def declared_coverage(watched: Watched, known: Judged) -> Coverage:
    """Of an experiment: there is no script that could have ended."""
    coverage = coverage_of(watched, known)
    if watched.of(Ending):
        return coverage
    return msgspec.structs.replace(coverage, ended="the probes are done" if watched.steps else "nothing was trained")


def _unseen(watched: Watched) -> Iterator[str]:
    """That the program could not be forked is no loss once another engine took over."""
    made = opened(watched) is not None
    found = [record for record in watched.of(Unseen) if not (made and record.tap == TIMELINES)]
    yield from dict.fromkeys(f"not observed: {record.tap}: {record.reason}" for record in found)


def _unmade(watched: Watched, known: Judged) -> Iterator[str]:
    """Experiments that tell less than they might have."""
    ended = fates(watched)
    if missing := [order.name for order in known.orders if order.name not in ended]:
        yield f"not finished in the time given: {', '.join(missing)}"
    if died := [fate for fate in ended.values() if fate.exit_code != 0]:
        yield f"experiments that did not reach their end: {', '.join(map(_died, died))}"
    contrast = next((fact for fact in known.facts if isinstance(fact, Contrast)), None)
    if contrast is not None and not all(pair.paired for pair in contrast.pairs):
        yield (
            "the experiments began with another first loss than the program, so they are not exact pairs; only large "
            "differences are counted. Seed every random generator of the script to pair them"
        )


def _died(fate: TimelineEnded) -> str:
    if fate.exit_code is None:
        return f"{fate.name} ({fate.message or 'took too long'})"
    return f"{fate.name} (exit code {fate.exit_code}{f': {fate.message}' if fate.message else ''})"


def timing_of(watched: Watched) -> Timing:
    started = datetime.fromtimestamp(time.time() - watched.seconds, UTC)
    return Timing(
        started=started.isoformat(timespec="seconds").replace("+00:00", "Z"),
        seconds=round(watched.seconds, 3),
        startup_seconds=watched.startup,
        observed_seconds=round(watched.seconds - watched.startup, 3) if watched.startup is not None else None,
    )


def _environment(watched: Watched) -> dict[str, Scalar]:
    processes = watched.of(ProcessSeen)
    if not processes:
        return machine()
    seen = processes[0]
    device = next((process.device for process in processes if process.device != "cpu"), seen.device)
    return {**machine(), "torch": seen.torch, "device": device, "threads": seen.threads, "world": seen.world}


def machine() -> dict[str, Scalar]:
    return {
        "firstlight": __version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "cores": os.cpu_count(),
    }
