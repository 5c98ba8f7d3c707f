"""Judges a declared experiment before the long run: plans its probes, has them run, and hands the facts to the checks.

The composition root of declared experiments, as `session` is that of scripts.
"""

import importlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from firstlight.checks.declare import Check
from firstlight.diagnosis.case import Case
from firstlight.diagnosis.prove import repairs_for, worth_trying
from firstlight.errors import UsageError
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.probes.catalogue import PROBES, SMOKE, TRAINING
from firstlight.experiments.declared.probes.declare import Probe
from firstlight.experiments.engine import Engine
from firstlight.experiments.engines.fork import ForkEngine
from firstlight.experiments.engines.none import NoEngine
from firstlight.experiments.plan import Order
from firstlight.facts.sources import (
    DECLARED,
    EXPERIMENT,
    LIVE,
    OF_A_REHEARSAL,
    READ_FROM_LOG,
    READ_FROM_SOURCE,
    READ_FROM_TABLES,
    SOURCES,
)
from firstlight.findings.judge import Judgement
from firstlight.judge.coverage import declared_coverage
from firstlight.judge.evidence import Judged, judged
from firstlight.judge.grounds import limited_by, unanswered, without_pieces
from firstlight.judge.inquiry import Inquiry, Question
from firstlight.judge.orders import CONTROLS
from firstlight.judge.report import machine, report
from firstlight.judge.script import timing_of
from firstlight.judge.verdict import exit_code
from firstlight.observe.spec import Spec
from firstlight.observe.watch import Watched, follow_log
from firstlight.recording import recorded
from firstlight.records.declared import Built, ProbeEnded, Stumble
from firstlight.records.facts import CheckCrash, ScriptOutcome, StepOrder
from firstlight.records.finding import Scalar
from firstlight.records.report import CheckOutcome, Report, Status, Subject, Verdict
from firstlight.settings import Settings, enabled, is_about_the_run, load
from firstlight.store.run_directory import RunDirectory, shown

DISABLED = "FIRSTLIGHT_DISABLED"
PAUSE = 0.02
INTERRUPTED = 130
STEPS = {"quick": 60, "standard": 150, "deep": 1000}
"""Of training under observation; the standard is what its timelines are compared over."""
Progress = Callable[[str], None]


def preflight(
    experiment: Experiment,
    *,
    profile: str | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    strict: bool | None = None,
) -> Report:
    """Probes the experiment and gives the report. Model, optimizer, random states and loaders stay as they are."""
    settings = load(Path.cwd(), profile=profile, select=select, ignore=ignore, strict=strict, in_python=True)
    return survey(experiment, settings, lambda _text: None)


def gate(experiment: Experiment, *, profile: str | None = None, strict: bool | None = None) -> Report | None:
    """Prints the report, and ends the program here with exit code 1 if the experiment is ill.

    Does nothing with FIRSTLIGHT_DISABLED=1, in a program that `firstlight check` already watches, and on ranks but the
    first.
    """
    if os.environ.get(DISABLED) == "1" or os.environ.get("FIRSTLIGHT_SESSION") or os.environ.get("RANK", "0") != "0":
        return None
    from firstlight.report import terminal

    settings = load(Path.cwd(), profile=profile, strict=strict, in_python=True)
    try:
        report = survey(experiment, settings, _line)
    except KeyboardInterrupt:
        _line("")
        sys.stderr.write("firstlight: interrupted while checking; the experiment is as it was, and was not started.\n")
        raise SystemExit(INTERRUPTED) from None
    _line("")
    sys.stdout.write(terminal.render(report, colour=terminal.wants_colour(sys.stdout)))
    sys.stdout.flush()
    code = exit_code(report, settings.strict)
    if code and report.verdict is not Verdict.UNJUDGED:
        sys.stderr.write(
            "firstlight: the run was not started, because the experiment is ill. "
            f"{DISABLED}=1 starts it all the same.\n"
        )
        raise SystemExit(code)
    return report


def _line(text: str) -> None:
    """One line of a terminal that rewrites itself; nothing where there is no terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{f'firstlight: {text}'[:79] if text else ''}")
        sys.stderr.flush()


def survey(experiment: Experiment, settings: Settings, progress: Progress) -> Report:
    if not isinstance(experiment, Experiment):
        raise UsageError(
            f"preflight takes a firstlight.Experiment and was given a {type(experiment).__name__}. "
            "Declare the pieces: Experiment(model=…, train=…, loss=…, optimizer=…)"
        )
    checks = asked(settings)
    with recorded((experiment.name,), settings) as (run, finish):
        found = Survey(experiment, checks, settings, run, progress)
        return finish(found.report())


def asked(settings: Settings) -> tuple[Check, ...]:
    """The enabled checks that a declared experiment can be asked."""
    elsewhere = READ_FROM_SOURCE | READ_FROM_LOG | READ_FROM_TABLES | LIVE
    return tuple(check for check in enabled(settings) if check.needs not in elsewhere)


@dataclass
class Survey:
    """One preflight: the probes that the enabled checks need, first contact first."""

    experiment: Experiment
    checks: tuple[Check, ...]
    settings: Settings
    run: RunDirectory
    progress: Progress
    watched: Watched = field(default_factory=Watched)
    absent: dict[type, str | None] = field(default_factory=lambda: {Stumble: None})

    def report(self) -> Report:
        begun = time.monotonic()
        known = self._known()
        self.watched.seconds = time.monotonic() - begun
        about = known, self.checks, self.watched.steps, self.absent.get(StepOrder)
        made = report(
            Subject(kind="experiment", command=(self.experiment.name,), run=shown(self.run.path)),
            Judgement(known.findings, self._timed(known.outcomes)),
            declared_coverage(self.watched, known),
            timing_of(self.watched),
            without_pieces(*about) or unanswered(known.outcomes, self.settings.select or ()),
        )
        return msgspec.structs.replace(made, environment=self._environment(), reason=made.reason or limited_by(*about))

    def _environment(self) -> dict[str, Scalar]:
        built = next(iter(self.watched.of(Built)), None)
        torch: Any = sys.modules["torch"]
        seen: dict[str, Scalar] = {"torch": str(torch.__version__), "threads": torch.get_num_threads()}
        if built is not None:
            seen |= {"device": ", ".join(built.devices), "weights": built.elements, "types": ", ".join(built.dtypes)}
        return {**machine(), **seen}

    def _known(self) -> Judged:
        from firstlight.experiments.declared.rooms import rooms_for

        rooms, reason = rooms_for(self.run, self.experiment)
        controls = self._controls
        engine: Engine = ForkEngine(self.run.path.absolute(), self.settings.budget.seconds) if controls else NoEngine()
        inquiry = Inquiry(
            engine,
            Question(
                weigh=lambda _: Case(),
                suspects=lambda _: worth_trying(self._judged(engine.ordered).findings, self.checks),
                open=lambda _: False,
            ),
            controls,
            seconds=self.settings.budget.seconds,
            timeline_seconds=self.settings.budget.timeline_seconds,
        )
        read = follow_log(self.run.events, self.watched)
        try:
            self._run(rooms, read, (SMOKE,))
            if self.watched.of(Stumble):
                self._leave_out(PROBES, "the experiment stumbles before it (FL030)")
            elif any(end.fault or end.overran for end in self.watched.of(ProbeEnded)):
                self._leave_out(PROBES, "the first contact with the experiment did not end well (FL031)")
            else:
                self._run(rooms, read, self._planned(reason))
                self._settle(inquiry, read)
        finally:
            rooms.close()
        return self._judged(engine.ordered)

    @property
    def _controls(self) -> tuple[str, ...]:
        """Made where an enabled check is about them, or could have a repair tried: others, asked by name, need none."""
        chosen = [check for check in self.checks if not is_about_the_run(check)]
        wanted = any(check.needs in OF_COPIES or repairs_for(check, check.causes) for check in chosen)
        return CONTROLS[self.settings.profile] if wanted else ()

    def _judged(self, orders: list[Order]) -> Judged:
        return judged(self.watched, self.checks, orders, self.absent)

    def _settle(self, inquiry: Inquiry, read: Callable[[], None]) -> None:
        """Until the experiments on copies of the training are over, the repairs of what was found among them."""
        self.watched.exit_code = 0
        while not inquiry.settled(self.watched):
            self.progress("experiments on copies of the training")
            time.sleep(PAUSE)
            read()

    def _timed(self, outcomes: tuple[CheckOutcome, ...]) -> tuple[CheckOutcome, ...]:
        """With the time of the probe behind each, which is what a check costs."""
        ended = {end.name: end for end in self.watched.of(ProbeEnded)}
        over = [probe for probe in (SMOKE, *PROBES) if probe.name in ended]
        by_fact = {kind: ended[probe.name] for probe in over for kind in _makes(probe)}
        needs = {check.id: check.needs for check in self.checks}

        def timed(outcome: CheckOutcome) -> CheckOutcome:
            end = by_fact.get(needs[outcome.id])
            if end is None or outcome.status is Status.SKIPPED:
                return outcome
            return msgspec.structs.replace(
                outcome,
                seconds=end.seconds,
                probe=end.name,
                typical_seconds=end.typical_seconds,
                most_seconds=end.most_seconds,
            )

        return tuple(timed(outcome) for outcome in outcomes)

    def _planned(self, not_forked: str | None) -> tuple[Probe, ...]:
        """What the enabled checks need and the declaration allows; for the rest, why not."""
        wanted = {check.needs for check in self.checks}
        planned = []
        for probe in PROBES:
            if not wanted & _makes(probe):
                continue
            if probe.alone and not_forked is not None:
                self._leave_out((probe,), not_forked)
            elif not probe.within(self.settings.profile):
                self._leave_out((probe,), f"not part of profile {self.settings.profile}")
            elif lacking := probe.lacks(self.experiment.declared):
                words = " and ".join(f"`{lack.replace('|', '` or `')}`" for lack in lacking)
                self._leave_out((probe,), f"the experiment does not declare {words}")
            else:
                planned.append(probe)
        return tuple(planned)

    def _leave_out(self, probes: tuple[Probe, ...], reason: str) -> None:
        self.absent |= {kind: reason for probe in probes for kind in _makes(probe) - {Stumble}}

    def _spec(self) -> Spec:
        """For the probe that trains under observation."""
        run, budget, chosen = RunDirectory(self.run.path.absolute()), self.settings.budget, self.settings.steps
        return Spec(
            run_id=self.run.id,
            run=str(run.path),
            events=str(run.events),
            scratch=str(run.scratch),
            cwd=str(Path.cwd()),
            owner=os.getpid(),
            steps=chosen or STEPS[self.settings.profile],
            seconds=budget.seconds,
            full_steps=budget.full_steps,
            sample_every=budget.sample_every,
            taps=tuple(sorted({tap for check in self.checks for tap in SOURCES[check.needs].taps} | {"portrait"})),
            contain=False,
            extensions=ForkEngine.extensions if self._controls else (),
        )

    def _run(self, rooms: Any, read: Callable[[], None], probes: tuple[Probe, ...]) -> None:
        from firstlight.experiments.declared.rooms import Task

        for probe in probes:
            rooms.submit(
                Task(probe.name, self._work(probe, rooms), probe.typical_seconds, probe.most_seconds, probe.action)
            )
        while rooms.busy:
            self.watched.records += rooms.settle()
            read()
            begun = {probe.name for probe in probes}
            ended = [end.name for end in self.watched.of(ProbeEnded) if end.name in begun]
            self.progress(f"{len(ended)} of {len(probes)} probes: {', '.join(ended[-1:])}")
            time.sleep(PAUSE)

    def _placed(self, fact: Any) -> Any:
        """What has no line of its own (a loss or a model of a library) is told at the line that declares it all."""
        if getattr(fact, "site", self) is None:
            return msgspec.structs.replace(fact, site=self.experiment.declared_at)
        return fact

    def _work(self, probe: Probe, rooms: Any) -> Callable[..., None]:
        from firstlight.experiments.declared.bench import Bench
        from firstlight.experiments.declared.stumbling import Stumbled

        module, _, name = (probe.function or f"{probe.name}:{probe.name}").partition(":")
        spec = self._spec()  # made here and not in the copy, because it names its owner

        def work(emit: Callable[..., None]) -> None:
            function = getattr(importlib.import_module(f"firstlight.experiments.declared.{module}"), name)
            try:
                bench = Bench(self.experiment, lambda fact: emit(self._placed(fact)), copies=rooms.copies, spec=spec)
                function(bench)
            except Stumbled as stumbled:
                raise Stumbled(self._placed(stumbled.fact)) from stumbled

        return work


OF_COPIES = EXPERIMENT - OF_A_REHEARSAL
OBSERVED = frozenset(SOURCES) - DECLARED - READ_FROM_SOURCE - READ_FROM_TABLES - {ScriptOutcome, CheckCrash}
"""What observing a training brings; how a process ended and which check crashed is known without."""


def _makes(probe: Probe) -> frozenset[type]:
    return frozenset(probe.makes) | (OBSERVED if probe is TRAINING else frozenset())
