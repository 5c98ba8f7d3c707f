"""Composition root of `mutate`: what a clean verdict on a program is worth.

Faults are planted in the program itself, one at a time, and each mutant is judged exactly as `check` judges a program.
"""

import os
import shutil
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from firstlight import session
from firstlight.errors import UsageError
from firstlight.experiments.engine import losses_of
from firstlight.experiments.engines.warm import shared, warmable
from firstlight.experiments.faults import BY_NAME, FAULTS, Fault
from firstlight.judge.mutants import Seen, mutant_of, sensitivity
from firstlight.observe.inside import cores
from firstlight.observe.logged import read_log
from firstlight.observe.process import Start, popen
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Eyes, Watched
from firstlight.recording import rewrite
from firstlight.records.assurance import Assurance
from firstlight.records.mutants import Mutant
from firstlight.records.report import Report, Verdict
from firstlight.records.timelines import FaultPlanted
from firstlight.settings import Settings, nearest
from firstlight.store.run_directory import RunDirectory

MUTANTS = "mutants"
"""In the run directory, while they last."""
CORES_EACH = 2
"""A mutant is a program with a few copies beside it."""
JUDGEABLE = (Verdict.CLEAN, Verdict.WARN)


class _Dropped(Exception):  # noqa: N818 (no error: the user wants no more)
    """Ends the run of a mutant that is waited for no longer."""


def chosen(names: Sequence[str] | None) -> tuple[Fault, ...]:
    """The faults of these names, or all."""
    if names is None:
        return FAULTS
    for name in names:
        if name not in BY_NAME:
            raise UsageError(
                f"`--only`: `{name}` is not a fault{nearest(name, BY_NAME)} `firstlight mutate --list` lists them."
            )
    if not names:
        raise UsageError("`--only` is empty, so no fault would be planted. Leave it out to plant all.")
    return tuple(BY_NAME[name] for name in dict.fromkeys(names))


def mutate(target: Target, settings: Settings, eyes: Eyes, faults: tuple[Fault, ...]) -> Report:
    """The report of the program as it is, with what became of each fault. A program that is ill is given none.

    When the user interrupts, the faults judged so far are kept.
    """
    with _shared(target, settings) as start:
        report = session.check(target, settings, eyes)
        if report.verdict not in JUDGEABLE or report.subject.run is None:
            return report
        run = RunDirectory(Path(report.subject.run).absolute())
        watched, _ = read_log(run.events)
        program = Seen(report, losses_of(watched.records), watched.outcome().ended)
        means = replace(eyes.means, start=start)
        laboratory = _Laboratory(target, settings, replace(eyes, means=means), run, program)
        try:
            mutants = tuple(laboratory.judged(faults))
        finally:
            shutil.rmtree(run.path / MUTANTS, ignore_errors=True)
    assurance = msgspec.structs.replace(report.assurance or Assurance(), sensitivity=sensitivity(mutants))
    return rewrite(run, msgspec.structs.replace(report, mutants=mutants, assurance=assurance))


def _shared(target: Target, settings: Settings) -> AbstractContextManager[Start]:
    """How mutants are started: forked from a process that has torch imported, where that can be had."""
    if not warmable(target):
        return nullcontext(popen)
    return shared(target, session.plan(settings, RunDirectory(Path.cwd() / MUTANTS)), os.environ)


@dataclass(frozen=True)
class _Laboratory:
    target: Target
    settings: Settings
    eyes: Eyes
    run: RunDirectory
    program: Seen

    def judged(self, faults: tuple[Fault, ...]) -> list[Mutant]:
        """In the order of the catalogue. An interrupt ends what is under way, and is no loss of what is done."""
        dropped = threading.Event()
        done: dict[str, Mutant] = {}

        def progress(fault: Fault, text: str) -> None:
            if dropped.is_set():
                raise _Dropped
            self.eyes.progress(f"{len(done)} of {len(faults)} faults judged; {fault.name}: {text}")

        def one(fault: Fault) -> Mutant:
            return self._mutant(fault, replace(self.eyes, progress=lambda text: progress(fault, text)))

        pool = ThreadPoolExecutor(max(1, cores.usable() // CORES_EACH), thread_name_prefix="mutant")
        waiting: list[Future[Mutant]] = [pool.submit(one, fault) for fault in faults]
        try:
            for ended in as_completed(waiting):
                mutant = ended.result()
                done[mutant.fault] = mutant
        except KeyboardInterrupt:
            pass
        finally:
            dropped.set()
            pool.shutdown(wait=True, cancel_futures=True)
        return [done[fault.name] for fault in faults if fault.name in done]

    def _mutant(self, fault: Fault, eyes: Eyes) -> Mutant:
        home = RunDirectory(self.run.path / MUTANTS / fault.name)
        home.path.mkdir(parents=True)
        try:
            report, watched = session.check_with_fault(fault.name, self.target, self.settings, eyes, self._spec(home))
        finally:
            shutil.rmtree(home.path, ignore_errors=True)
        return mutant_of(fault, _seen(report, watched), self.program)

    def _spec(self, home: RunDirectory) -> Spec:
        """As the program itself was observed, its seed too."""
        seed = session.plan(self.settings, self.run).seed
        return msgspec.structs.replace(session.plan(self.settings, home), seed=seed)


def _seen(report: Report, watched: Watched) -> Seen:
    planted = bool(watched.of(FaultPlanted))
    return Seen(report, losses_of(watched.records), watched.outcome().ended, planted)
