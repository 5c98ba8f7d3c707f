"""The composition root: plans what to observe, has it run, and hands what was seen to be judged.

The only module that knows every stage.
"""

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from firstlight.checks.declare import Check
from firstlight.diagnosis.evidence import case_of, ruled_out
from firstlight.diagnosis.guide import guided
from firstlight.diagnosis.prove import worth_trying
from firstlight.diagnosis.symptoms import parse
from firstlight.errors import UsageError
from firstlight.experiments.engine import Engine
from firstlight.experiments.engines.choice import engine as engine_of
from firstlight.experiments.engines.none import NoEngine
from firstlight.experiments.engines.warm import sharing
from firstlight.experiments.faults import PLANT
from firstlight.experiments.rehearsal import SECONDS, Rehearsals, alone, can_be_shortened
from firstlight.facts.sources import (
    DECLARED,
    EXPERIMENT,
    LIVE,
    OF_A_REHEARSAL,
    READ_FROM_LOG,
    READ_FROM_TABLES,
    SEEN_IN_RUNS,
    SOURCES,
)
from firstlight.judge.contrasting import clip_of
from firstlight.judge.evidence import Judged, judged
from firstlight.judge.grounds import without_grounds
from firstlight.judge.inference import concluded, is_open
from firstlight.judge.inquiry import Inquiry, Question
from firstlight.judge.orders import CONTROLS, TIGHT, orders_for
from firstlight.judge.script import rehearsal_report, report_of
from firstlight.judge.trust import trusted
from firstlight.linting import facts_of
from firstlight.observe.logged import read_log
from firstlight.observe.process import popen
from firstlight.observe.spec import PATIENCE, Spec
from firstlight.observe.target import Target, launched, without_launcher
from firstlight.observe.watch import Eyes, Watched, follow_log, tried_alone, watch
from firstlight.recording import recorded, seed_of
from firstlight.records.contrast import Contrast
from firstlight.records.report import Report, Subject
from firstlight.settings import Settings, enabled
from firstlight.store.run_directory import RunDirectory, shown


@dataclass(frozen=True, slots=True)
class Depth:
    """How far the two commands go: `check` searches where something is wrong and unexplained, `diagnose` always."""

    controls: tuple[str, ...]
    seconds: float
    always: bool = False
    rehearses: bool = False
    """The whole program is run as well, shortened."""
    symptoms: dict[str, bool] = field(default_factory=dict)


def check(target: Target, settings: Settings, eyes: Eyes) -> Report:
    """Runs the target under observation and judges it. Leaves a run directory behind, and nothing else."""
    return _judged_script(target, settings, eyes, _depth(settings))


def check_with_fault(fault: str, target: Target, settings: Settings, eyes: Eyes, spec: Spec) -> tuple[Report, Watched]:
    """As `check`, of the program with a fault planted in it; `spec` says where the run is kept while it lasts."""
    faulty = msgspec.structs.replace(spec, fault=fault, extensions=(PLANT,))
    return _judged(target, settings, eyes, replace(_depth(settings), rehearses=False), faulty)


def plan(settings: Settings, run: RunDirectory) -> Spec:
    """How `check` observes a program."""
    return _plan(settings, run, experiments=bool(_controls(settings)))


def _depth(settings: Settings) -> Depth:
    controls = _controls(settings)
    return Depth(controls, PATIENCE * settings.budget.seconds, rehearses=bool(controls) and settings.contain)


def _controls(settings: Settings) -> tuple[str, ...]:
    """Those of the profile; a check that is asked for by name gets what it needs whatever the profile says."""
    asked = {check.needs for check in _checks(settings) if check.name in (settings.select or ())}
    return CONTROLS[settings.profile] or (CONTROLS["standard"] if asked & EXPERIMENT else ())


def diagnose(target: Target, settings: Settings, eyes: Eyes, symptom: str | None) -> Report:
    """As `check`, with experiments chosen by what they would tell, until one cause stands out or nothing more helps."""
    depth = Depth(CONTROLS["standard"], DIAGNOSIS_SECONDS, always=True, symptoms=understood(symptom))
    return _judged_script(target, settings, eyes, depth)


DIAGNOSIS_SECONDS = 90.0
"""For everything after the first training step."""


def _judged_script(target: Target, settings: Settings, eyes: Eyes, depth: Depth) -> Report:
    with recorded(target.words, settings) as (run, finish):
        spec = _plan(settings, run, experiments=bool(depth.controls))
        return finish(_judged(target, settings, eyes, depth, spec)[0])


def _judged(target: Target, settings: Settings, eyes: Eyes, depth: Depth, spec: Spec) -> tuple[Report, Watched]:
    checks = _checks(settings)
    with sharing(target, spec, eyes.means, again=depth.rehearses) as means:
        start = None if means.start is popen else means.start
        engine = engine_of(settings.engine, target, spec, depth.seconds, start) if depth.controls else NoEngine()
        known = _judge(target, checks, engine)
        inquiry = Inquiry(
            engine,
            _question(known, checks, depth.always),
            depth.controls,
            seconds=depth.seconds,
            timeline_seconds=settings.budget.timeline_seconds,
            rehearsed=depth.rehearses and can_be_shortened(target),
            symptoms=depth.symptoms,
        )
        with contextlib.closing(Rehearsals(target, spec, start=means.start)) as rehearsals:
            parts = [inquiry.settled, *([rehearsals.settled] if depth.rehearses else [])]
            looking = replace(eyes, means=means, settled=lambda seen: _all_settled(parts, seen))
            watched = _watched(target, spec, looking, engine)
    tried_alone(target, spec, eyes, watched)
    subject = Subject(kind="script", command=target.words, file=target.file, run=shown(spec.run))
    return _report(watched, known(watched), subject, inquiry, settings), watched


def _all_settled(parts: Sequence[Callable[[Watched], bool]], watched: Watched) -> bool:
    """Each of them is asked, so that each goes on."""
    settled = [part(watched) for part in parts]
    return all(settled)


def rehearse(target: Target, settings: Settings, eyes: Eyes) -> Report:
    """Runs the whole target, shortened, and judges whether it reaches its last line and what happens on the way."""
    script = without_launcher(target) if launched(target) else target
    if script is None or not can_be_shortened(script):
        raise UsageError(f"`{target.shown}` names no script that could be shortened. Name the script that trains")
    checks = tuple(check for check in _checks(settings) if check.needs in OF_A_REHEARSAL)
    with recorded(target.words, settings) as (run, finish):
        spec, watched = _plan(settings, run, experiments=False), Watched()
        made = Rehearsals(script, spec, settings.seconds or SECONDS, settings.startup_seconds, eyes.means.start)
        made.environment = alone() if launched(target) else {}
        begun = time.monotonic()
        with contextlib.closing(made):
            while not made.settled(watched):
                eyes.progress(f"rehearsing the whole program … {time.monotonic() - begun:.0f} s")
                time.sleep(PAUSE)
        follow_log(run.events, watched)()
        watched.seconds = time.monotonic() - begun
        subject = Subject(kind="script", command=target.words, file=target.file, run=shown(run.path))
        return finish(rehearsal_report(watched, judged(watched, checks, []), subject))


PAUSE = 0.05


def _question(known: Callable[[Watched], Judged], checks: tuple[Check, ...], always: bool) -> Question:
    def suspects(watched: Watched) -> tuple[str, ...]:
        names = worth_trying(known(watched).findings, checks)
        clip = clip_of(watched)
        tight = clip is not None and clip.median_norm >= TIGHT * clip.max_norm
        return (*names, "unclipped") if tight else names

    return Question(
        weigh=lambda watched: case_of((seen := known(watched)).facts, seen.findings).hinting(
            ruled_out(seen.outcomes, checks)
        ),
        suspects=suspects,
        open=lambda watched: always or is_open(known(watched)),
    )


def diagnose_run(path: Path, settings: Settings, symptom: str | None) -> Report:
    """From the event log of an earlier run, without running anything."""
    return _judged_log(path, settings, searched=True, symptoms=understood(symptom))


def judge_log(path: Path, settings: Settings) -> Report:
    """What a check would have said of the run whose event log this is."""
    return _judged_log(path, settings, searched=False, symptoms={})


def _judged_log(path: Path, settings: Settings, searched: bool, symptoms: dict[str, bool]) -> Report:
    watched, lost = read_log(RunDirectory(path).events)
    checks = _checks(settings)
    engine = NoEngine(orders_for(tuple(watched.timelines), settings.budget.timeline_seconds))
    known = judged(watched, checks, engine.ordered)
    inquiry = Inquiry(engine, _question(lambda _: known, checks, always=True), symptoms=symptoms, searched=searched)
    subject = Subject(kind="log", command=(shown(path),), run=shown(path))
    made = _report(watched, known, subject, inquiry, settings)
    limits = (*made.coverage.limits, f"{lost} lines of the log cannot be read") if lost else made.coverage.limits
    return msgspec.structs.replace(made, coverage=msgspec.structs.replace(made.coverage, limits=limits))


def _report(watched: Watched, known: Judged, subject: Subject, inquiry: Inquiry, settings: Settings) -> Report:
    unjudged = without_grounds(watched.outcome(), known.outcomes, settings.select or ())
    unexplained = inquiry.searched or is_open(known)  # no time was left to ask, and what is known still weighs
    if unjudged is not None or not unexplained:
        return trusted(report_of(watched, known, subject, unjudged))
    suspects = inquiry.suspects(watched)
    known = concluded(known, suspects, _checks(settings))
    return trusted(inquiry.conclude(report_of(watched, known, subject, None), suspects))


def _watched(target: Target, spec: Spec, eyes: Eyes, engine: Engine) -> Watched:
    try:
        extensions = (*engine.extensions, *spec.extensions)
        return watch(target, msgspec.structs.replace(spec, extensions=extensions), eyes)
    finally:
        engine.end()


def _judge(target: Target, checks: tuple[Check, ...], engine: Engine) -> Callable[[Watched], Judged]:
    """What is known of a program at any moment, from its source and from what was seen of it so far."""
    read = facts_of(Path(target.file), Path.cwd()) if target.file is not None else ()
    return lambda seen: judged(seen, checks, engine.ordered, read=read)


def understood(text: str | None) -> dict[str, bool]:
    """A symptom in the user's words, as observations."""
    if text is None:
        return {}
    read = parse(text)
    if not read.observations and (told := guided(text)) is not None:
        raise UsageError(f"{told.seen}: no experiment is needed to find that. {told.test}; then {told.fix}")
    if not read.observations:
        raise UsageError(
            f"the symptom {text!r} was not understood. Say what the loss does: stuck, rises, NaN, oscillates …"
        )
    return dict(read.observations)


def _checks(settings: Settings) -> tuple[Check, ...]:
    """Those a short run and its source can answer: logs, declared experiments and long runs have their own commands."""
    elsewhere = READ_FROM_LOG | READ_FROM_TABLES | (DECLARED - OF_A_REHEARSAL - SEEN_IN_RUNS) | LIVE
    return tuple(check for check in enabled(settings) if check.needs not in elsewhere)


def _plan(settings: Settings, run: RunDirectory, experiments: bool) -> Spec:
    """The union of what the enabled checks and the experiments need, and what the page draws."""
    taps = {tap for check in _checks(settings) for tap in SOURCES[check.needs].taps} | {"portrait"}
    taps |= SOURCES[Contrast].taps if experiments else frozenset()
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
        longer=budget.longer,
        taps=tuple(sorted(taps)),
        contain=settings.contain,
        seed=seed_of(run),
    )
