"""The composition root: plans what to observe, has it run, and hands what was seen to be judged.

The only module that knows every stage.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from firstlight.assembly import Judged, judged, report_of
from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.diagnosis.case import Case
from firstlight.diagnosis.evidence import case_of, ruled_out
from firstlight.diagnosis.prove import worth_trying
from firstlight.diagnosis.symptoms import parse
from firstlight.errors import UsageError
from firstlight.experiments.engine import Engine
from firstlight.experiments.engines.choice import engine as engine_of
from firstlight.experiments.engines.none import NoEngine
from firstlight.facts.sources import DECLARED, LIVE, READ_FROM_LOG, SOURCES
from firstlight.inquiry import Inquiry
from firstlight.linting import facts_of
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Eyes, Watched, read_log, tried_alone, watch
from firstlight.recording import recorded, seed_of
from firstlight.records.report import Report, Subject, Verdict
from firstlight.settings import Settings, enabled
from firstlight.store.run_directory import RunDirectory, shown
from firstlight.trial import CONTROLS, Trial, orders_for


def check(target: Target, settings: Settings, eyes: Eyes) -> Report:
    """Runs the target under observation and judges it. Leaves a run directory behind, and nothing else."""
    checks = _checks(settings)
    with recorded(target.words, settings) as (run, finish):
        spec = _plan(settings, checks, run)
        controls = CONTROLS[settings.profile]
        engine = engine_of(settings.engine, target, spec, settings.budget.seconds) if controls else NoEngine()
        known = _judge(target, checks, engine)
        seconds = settings.budget.timeline_seconds
        trial = Trial(engine, controls, lambda seen: worth_trying(known(seen).findings, checks), seconds)
        watched = _watched(target, spec, replace(eyes, settled=trial.settled), engine)
        return finish(report_of(watched, known(watched), _subject(target, run)))


def diagnose(target: Target, settings: Settings, eyes: Eyes, symptom: str | None) -> Report:
    """As `check`, with experiments chosen by what they would tell, until one cause stands out or nothing more helps."""
    checks = _checks(settings)
    with recorded(target.words, settings) as (run, finish):
        spec = _plan(settings, checks, run)
        engine = engine_of(settings.engine, target, spec, DIAGNOSIS_SECONDS)
        known = _judge(target, checks, engine)
        inquiry = Inquiry(
            engine,
            lambda seen: _case(known(seen), checks),
            DIAGNOSIS_SECONDS,
            understood(symptom),
            timeline_seconds=settings.budget.timeline_seconds,
            suspects=lambda seen: worth_trying(known(seen).findings, checks),
        )
        watched = _watched(target, spec, replace(eyes, settled=inquiry.settled), engine)
        return finish(_concluded(report_of(watched, known(watched), _subject(target, run)), inquiry, watched))


def diagnose_run(path: Path, settings: Settings, symptom: str | None) -> Report:
    """From the event log of an earlier run, without running anything."""
    run = RunDirectory(path)
    if not run.events.is_file():
        raise UsageError(f"{path} holds no events.ndjson: it is not the directory of a run")
    watched = read_log(run.events)
    checks = _checks(settings)
    engine = NoEngine(orders_for(tuple(watched.timelines), settings.budget.timeline_seconds))
    known = judged(watched, checks, engine.ordered)
    inquiry = Inquiry(engine, lambda _: _case(known, checks), 0.0, understood(symptom))
    return _concluded(
        report_of(watched, known, Subject(kind="log", command=(shown(path),), run=shown(path))), inquiry, watched
    )


def _watched(target: Target, spec: Spec, eyes: Eyes, engine: Engine) -> Watched:
    try:
        watched = watch(target, msgspec.structs.replace(spec, extensions=engine.extensions), eyes)
    finally:
        engine.end()
    tried_alone(target, spec, eyes, watched)
    return watched


DIAGNOSIS_SECONDS = 90.0
"""For everything after the first training step."""


def _judge(target: Target, checks: tuple[Check, ...], engine: Engine) -> Callable[[Watched], Judged]:
    """What is known of a program at any moment, from its source and from what was seen of it so far."""
    read = facts_of(Path(target.file), Path.cwd()) if target.file is not None else ()
    return lambda seen: judged(seen, checks, engine.ordered, read=read)


def _case(known: Judged, checks: tuple[Check, ...]) -> Case:
    return case_of(known.facts, known.findings).hinting(ruled_out(known.outcomes, checks))


def understood(text: str | None) -> dict[str, bool]:
    """A symptom in the user's words, as observations."""
    if text is None:
        return {}
    read = parse(text)
    if not read.observations:
        raise UsageError(
            f"the symptom {text!r} was not understood. Say what the loss does: stuck, rises, NaN, oscillates …"
        )
    return dict(read.observations)


def _concluded(report: Report, inquiry: Inquiry, watched: Watched) -> Report:
    return report if report.verdict is Verdict.UNJUDGED else inquiry.conclude(report, watched)


def _subject(target: Target, run: RunDirectory) -> Subject:
    return Subject(kind="script", command=target.words, file=target.file, run=shown(run.path))


def _checks(settings: Settings) -> tuple[Check, ...]:
    """Those a short run and its source can answer: logs, declared experiments and long runs have their own commands."""
    elsewhere = READ_FROM_LOG | DECLARED | LIVE
    return tuple(check for check in enabled(settings, CATALOGUE) if check.needs not in elsewhere)


def _plan(settings: Settings, checks: tuple[Check, ...], run: RunDirectory) -> Spec:
    """The union of what the enabled checks need, and what the page draws."""
    taps = {tap for check in checks for tap in SOURCES[check.needs].taps} | {"portrait"}
    budget = settings.budget
    path = run.path.absolute()
    return Spec(
        run_id=run.id,
        run=str(path),
        events=str(RunDirectory(path).events),
        scratch=str(RunDirectory(path).scratch),
        cwd=str(Path.cwd()),
        owner=os.getpid(),
        steps=budget.steps,
        seconds=budget.seconds,
        full_steps=budget.full_steps,
        sample_every=budget.sample_every,
        taps=tuple(sorted(taps)),
        contain=settings.contain,
        seed=seed_of(run),
    )
