"""The report on a script that was run under observation."""

import msgspec

from firstlight.findings.judge import Judgement
from firstlight.judge.assurance import assurance_of, headline
from firstlight.judge.coverage import coverage_of
from firstlight.judge.evidence import Judged
from firstlight.judge.report import machine, report, stamp
from firstlight.observe.watch import Watched
from firstlight.records.finding import Scalar
from firstlight.records.program import ProcessSeen
from firstlight.records.rehearsal import Rehearsal
from firstlight.records.report import Coverage, Report, Subject, Timing, Verdict
from firstlight.report.assurance import rows
from firstlight.store.run_directory import shown

OUTPUT_LINES = 25


def report_of(watched: Watched, known: Judged, subject: Subject, unjudged: str | None) -> Report:
    judgement = Judgement(known.findings, known.outcomes)
    made = report(subject, judgement, coverage_of(watched, known), timing_of(watched), unjudged)
    assurance = assurance_of(known.facts)
    clean = headline(assurance, experimented=bool(known.orders)) if made.verdict is Verdict.CLEAN else None
    shows_output = watched.outcome().ended in ("crashed", "killed") or made.verdict is Verdict.UNJUDGED
    return msgspec.structs.replace(
        made,
        environment=_environment(watched),
        assurance=assurance,
        reason=made.reason or clean,
        output_tail=tuple(watched.lines[-OUTPUT_LINES:]) if shows_output else (),
    )


def rehearsal_report(watched: Watched, known: Judged, subject: Subject) -> Report:
    """The report on a script of which nothing was run but its rehearsal."""
    seen = next((fact for fact in known.facts if isinstance(fact, Rehearsal)), Rehearsal(reached_end=False))
    coverage = Coverage(
        steps=seen.steps,
        seconds=round(watched.seconds, 3),
        ended="the last line was reached" if seen.reached_end else "the last line was not reached",
        held_back=tuple(shown(file.path) for file in seen.files),
        experiments=tuple(sorted(watched.timelines)),
        suppressed=known.allowed,
        limits=("training loops ran for only a few rounds; whether it learns was not tested",),
    )
    assurance = assurance_of(known.facts)
    words = dict(rows(assurance)).get("whole", "no attempt could be made")
    unjudged = None if seen.reached_end or seen.own else words
    made = report(subject, Judgement(known.findings, known.outcomes), coverage, timing_of(watched), unjudged)
    return msgspec.structs.replace(made, assurance=assurance, reason=made.reason or words)


def timing_of(watched: Watched) -> Timing:
    return Timing(
        started=stamp(watched.seconds),
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
