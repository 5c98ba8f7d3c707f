"""Everything the guard says: lines in its log, and a red flag on the terminal."""

import reprlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from firstlight.checks.catalogue import CATALOGUE
from firstlight.errors import UsageError
from firstlight.facts.sources import LIVE
from firstlight.guard.statistics.rows import Frame, named_rows
from firstlight.guard.watch import Watch
from firstlight.observe.inside.observer import rank
from firstlight.records import events, wire
from firstlight.records.finding import Finding, Severity
from firstlight.records.printable import printable
from firstlight.records.program import Unseen
from firstlight.records.telemetry import StepRow, Trip
from firstlight.report import terminal
from firstlight.store import version_control
from firstlight.store.run_directory import here_hash

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class Telling:
    def __init__(self, guard: "Guard") -> None:
        self._guard = guard
        self._begun = time.monotonic()
        self._started = False
        self._unseen: list[Unseen] = []
        self._said: set[str] = set()

    @property
    def seconds(self) -> float:
        """Since the guard was made."""
        return time.monotonic() - self._begun

    def start(self) -> None:
        """The first line, once there is something to tell.

        By then the rank is known: attached from outside, the guard is there before the process group.
        """
        if self._started:
            return
        self._started = True
        guard = self._guard
        guard.rank = guard.journal.rank = guard.judge.windows.rank = rank()
        self._guard.journal.write(
            events.RunStart,
            always=True,
            argv=events.shortened(sys.argv),
            cwd_hash=here_hash(),
            git=version_control.commit(Path.cwd()) if guard.journal.is_own else None,  # else the command has told it
            env={"torch": str(torch.__version__), "device": self._device()},
            seed=torch.initial_seed(),
        )
        for unseen in self._unseen:
            self._guard.journal.write(events.Fact, always=True, observed=wire.to_plain(unseen))
        asked = {check.name for check in guard.judge.checks}
        for check in CATALOGUE:
            if check.needs in LIVE and check.name not in asked:
                self._check(check.name, "skip", "left out, as the settings ask")

    def _check(self, name: str, status: str, message: str) -> None:
        self._guard.journal.write(
            events.CheckResult,
            always=True,
            check_id=name,
            status=status,
            severity="note",
            duration_s=0.0,
            message=message,
        )

    def _ready(self) -> None:
        """As it comes, not at the end: a run may be killed."""
        for name in self._guard.judge.newly_ready():
            self._check(name, events.READY, "has seen enough to judge by")

    def step(self, row: StepRow, watch: Watch | None = None, frame: Frame | None = None) -> None:
        self.start()
        self._ready()
        journal = self._guard.journal
        bad = bool(row.bad_gradients or row.bad_weights) and not self._guard.judge.over
        if watch is None or bad or journal.wants_step(row.optimizer, row.step):
            journal.write(
                events.Step,
                step=row.step,
                loss=row.loss,
                lr=row.lr,
                grad_norm=row.grad_norm,
                clip_coef=row.clip_coef,
                param_norm=row.param_norm,
                amp_scale=row.amp_scale,
                skipped=row.skipped,
                data_wait_s=row.data_wait_s,
                step_s=row.step_s,
                samples_per_s=row.samples_per_s,
                batch_hash=row.batch,
                components=row.components,
            )
        journal.beats(row.step)
        if watch is not None and frame is not None and (journal.wants_tensors(row.optimizer, row.step) or bad):
            self.tensors(watch, row.step, frame)

    def tensors(self, watch: Watch, step: int, frame: Frame) -> None:
        journal, names = self._guard.journal, watch.subjects.names
        gradients = named_rows(names, frame.gradients, frame.present)
        weights = [
            msgspec.structs.replace(row, name=f"{row.name} (weight)") for row in named_rows(names, frame.weights)
        ]
        journal.write_rows(step, [*gradients, *weights])

    def trip(self, trip: Trip) -> None:
        finding, journal = trip.finding, self._guard.journal
        self.start()
        journal.write(
            events.RedFlag,
            always=True,
            type=finding.name,
            severity=finding.severity.value,
            message=finding.saw,
            recommendation=finding.do,
        )
        self._finding(finding, trip.step)
        sys.stderr.write("\n" + shown(finding) + "\n")

    def since(self, trip: Trip, first: Finding) -> None:
        """One line under the flag that went up before it."""
        finding = trip.finding
        self._guard.journal.write(
            events.RedFlag,
            always=True,
            type=finding.name,
            severity=finding.severity.value,
            message=finding.saw,
            recommendation=finding.do,
            rule_id=finding.id,
            since=first.id,
        )
        sys.stderr.write(printable(f"  since then also {finding.id} {finding.name}: {finding.saw}\n"))

    def _finding(self, finding: Finding, step: int | None) -> None:
        """For the report. A note is told at the end only: it is no red flag."""
        self._guard.journal.write(
            events.FindingSeen,
            always=True,
            rule_id=finding.id,
            severity=finding.severity.value,
            message=f"{finding.name}: {finding.saw}",
            step=step,
            where=wire.to_plain(finding.where),
            evidence=wire.to_plain(finding.evidence),
            causes=[finding.cause],
            fix=finding.do,
            finding=wire.to_plain(finding),
        )

    def fault(self, part: str, error: BaseException, trace: str) -> None:
        """Of our own, or in what we were given."""
        what = f"a fault in {part}, which is off from here on ({type(error).__name__}: {error})."
        self.say(part, f"{error}" if isinstance(error, UsageError) else f"{what} The training is not affected.")
        self._guard.journal.write(
            events.ExceptionSeen,
            always=True,
            type=type(error).__name__,
            message=f"guard: {part}: {error}"[:500],
            traceback_hash=trace,
        )

    def say(self, about: str, words: str) -> None:
        """Once."""
        if about not in self._said:
            self._said.add(about)
            sys.stderr.write(printable(f"firstlight guard: {words}\n"))

    def refused(self, name: str, value: Any) -> None:
        self.say(
            f"log {name}",
            f"guard.log was given {name}={reprlib.repr(value)}, which is no number; it is left out. It takes numbers "
            "by name: guard.log(val_loss=0.3), or guard.log(**numbers).",
        )

    def stranger(self, optimizer: torch.optim.Optimizer) -> None:
        name = type(optimizer).__name__
        reason = f"{name} holds none of the parameters of the models that were given; its weights are known by number"
        self._unseen.append(Unseen(step=0, rank=self._guard.rank, tap="models", reason=reason))
        self.say(f"stranger {name}", f"{reason}. Give the guard the model that this optimizer trains.")

    def without_optimizer(self) -> None:
        told = "the guard has a model and no optimizer: no step is watched. Write fl.guard(model, optimizer)."
        self.say("no optimizer", told)

    def crash(self, error: BaseException) -> None:
        """Of the training's own."""
        self._guard.journal.write(
            events.ExceptionSeen, always=True, type=type(error).__name__, message=str(error)[:500], traceback_hash=""
        )

    def end(self) -> None:
        journal = self._guard.journal
        if not self._started:
            return
        self._losses()
        for finding in self._guard.judge.incidents.values():
            if finding.severity is Severity.NOTE:
                self._finding(finding, finding.where.step)
        status, stops = self._guard.status, self._guard.options.on_red == "stop"
        clipping, cut = self._guard.judge.windows.clipped()
        journal.write(
            events.RunEnd,
            always=True,
            status="stopped" if status == "ok" and stops and self._guard.trips else status,
            elapsed_seconds=self.seconds,
            exit_code=None,
            steps=self._guard.step,
            clipped=cut / clipping if clipping else None,
        )
        if journal.lost:
            sys.stderr.write(f"firstlight guard: {journal.lost} lines of the log were lost ({journal.problem})\n")

    def _losses(self) -> None:
        """What a report on this run cannot know."""
        guard, journal = self._guard, self._guard.journal
        journal.try_again()
        self._ready()
        for name, error in guard.judge.crashed.items():
            self._check(name, "error", error)
        if journal.lost:
            reason = f"{journal.lost} lines were lost: {journal.problem}"
            lost = Unseen(step=guard.step, rank=guard.rank, tap="log", reason=reason)
            journal.write(events.Fact, always=True, observed=wire.to_plain(lost))

    def _device(self) -> str:
        return str(self._guard.watches[0].subjects.device) if self._guard.watches else "cpu"


def shown(finding: Finding) -> str:
    return terminal.incident(finding, terminal.wants_colour(sys.stderr))
