"""`firstlight replay`: has the program do a captured step again, in its own precision and in float32, and judges it."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from firstlight.checks.numerics import value_nonfinite
from firstlight.errors import UsageError
from firstlight.findings.judge import judge
from firstlight.guard.replay.order import Order, Precision
from firstlight.judge.report import report
from firstlight.observe import target as targets
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Eyes, Watched, watch
from firstlight.records.artifact import Manifest
from firstlight.records.facts import FirstBad
from firstlight.records.nonfinite import BadOperation, Replayed
from firstlight.records.printable import in_one_line
from firstlight.records.report import Coverage, Report, Subject, Timing
from firstlight.report import json as json_report
from firstlight.store.artifacts import Artifact, digest_of
from firstlight.store.run_directory import FOLDER, RunDirectory, shown

EXTENSION = "firstlight.guard.replay.inside:install"
SECONDS = 300.0
"""For the step itself, every operation of which is looked at."""
MOST_EARLIER = 12


@dataclass(frozen=True, slots=True)
class Attempt:
    """The step, done again in one precision."""

    precision: Precision
    seen: Replayed | None
    culprit: BadOperation | None
    watched: Watched

    @property
    def words(self) -> str:
        if self.seen is None:
            return f"did not get to the step: {self.watched.outcome().message or 'the program never trained'}"
        if self.seen.bad is not None:
            return f"the {self.seen.bad} is not finite"
        return "everything stays finite" + (f", loss {self.seen.loss:.4g}" if self.seen.loss is not None else "")


@dataclass(frozen=True, slots=True)
class Replaying:
    attempts: tuple[Attempt, ...]
    report: Report

    @property
    def repro(self) -> Path | None:
        found = next((a.seen.repro for a in self.attempts if a.seen is not None and a.seen.repro), None)
        return Path(found) if found is not None else None


def recorded_target(artifact: Artifact) -> Target:
    """The program an artifact names. Whether it may be run is for the user to say, unless the artifact is their own."""
    program = artifact.manifest.program
    if program.module is not None:
        return targets.parse((program.module, *program.argv), module=True)
    if program.script is None:
        raise UsageError(
            "the artifact does not say which program it was. "
            f"Name it: `firstlight replay {shown(artifact.folder)} -- python train.py`."
        )
    return targets.recorded(program.script, program.argv)


def is_own(artifact: Artifact) -> bool:
    """A run of this user recorded it here. Another's artifact does not choose what is run."""
    runs = (Path.cwd() / FOLDER / "runs").resolve()
    return artifact.sealed and artifact.folder.resolve().is_relative_to(runs)


def replay(artifact: Artifact, target: Target, eyes: Eyes) -> Replaying:
    run = RunDirectory.create(Path.cwd())
    attempts = tuple(_attempt(artifact, target, eyes, run, precision) for precision in _precisions(artifact))
    subject = Subject(kind="artifact", command=target.words, file=target.file, run=shown(run.path))
    report = _report(artifact, attempts, subject)
    run.report.write_text(json_report.render(report), encoding="utf-8")
    return Replaying(attempts, report)


def _precisions(artifact: Artifact) -> tuple[Precision, ...]:
    """A step that was in float32 throughout need not be done twice."""
    manifest = artifact.manifest
    narrow = manifest.config.get("autocast") is not None
    for part in manifest.parts:
        if part.name.startswith("model"):
            narrow = narrow or any(t.dtype in ("F16", "BF16") for t in artifact.tensors(part).values())
    return ("original", "float32") if narrow else ("original",)


def _attempt(artifact: Artifact, target: Target, eyes: Eyes, run: RunDirectory, precision: Precision) -> Attempt:
    folder = RunDirectory(run.path.absolute() / precision)
    folder.path.mkdir()
    Order(artifact=str(artifact.folder.resolve()), precision=precision).write(folder.path)
    eyes.progress(f"repeating step {artifact.manifest.step} ({precision}) …")
    spec = Spec(
        run_id=run.id,
        run=str(folder.path),
        events=str(folder.events),
        scratch=str(folder.scratch),
        cwd=str(Path.cwd()),
        owner=os.getpid(),
        steps=1 << 30,
        seconds=SECONDS,
        full_steps=0,
        sample_every=1 << 30,
        taps=(),
        extensions=(EXTENSION,),
    )
    watched = watch(target, spec, eyes)
    seen = next(iter(watched.of(Replayed)), None)
    return Attempt(precision, seen, next(iter(watched.of(BadOperation)), None), watched)


def _report(artifact: Artifact, attempts: tuple[Attempt, ...], subject: Subject) -> Report:
    first = attempts[0]
    facts = [_fact(artifact.manifest, first)] if first.seen is not None and first.seen.bad is not None else []
    judged = judge((value_nonfinite.CHECK,), facts, trained=first.seen is not None)
    seconds = round(sum(attempt.watched.seconds for attempt in attempts), 3)
    made = report(
        subject,
        judged,
        Coverage(
            steps=1,
            seconds=seconds,
            ended="the captured step was done again",
            experiments=tuple(attempt.precision for attempt in attempts),
            limits=tuple(_limits(artifact, first, subject.file)),
        ),
        Timing(started=artifact.manifest.created, seconds=seconds),
        _unjudged(artifact.manifest, first),
    )
    return msgspec.structs.replace(
        made,
        diagnosis=(),
        trail=tuple(f"{attempt.precision}: {attempt.words}" for attempt in attempts),
        output_tail=tuple(first.watched.lines[-25:]) if first.seen is None else (),
    )


def _unjudged(manifest: Manifest, first: Attempt) -> str | None:
    if first.seen is None:
        return f"the program {first.words}"
    if first.seen.bad is not None or "nonfinite" not in manifest.check:
        return None
    return f"step {manifest.step} was done again and stays finite: it is not reproduced by what was kept"


def _limits(artifact: Artifact, first: Attempt, file: str | None) -> list[str]:
    """What makes this step not quite the captured one."""
    manifest, seen = artifact.manifest, first.seen
    told = [f"not kept: {left.part}: {left.reason}" for left in manifest.left_out]
    if seen is not None and not seen.fed:
        told.append("no loader or model took the captured batch; the program's own was used")
    if seen is not None and not any(name.startswith("model") for name in seen.loaded):
        told.append("no model took the captured weights; the program's own were used")
    if manifest.before_step is not None and manifest.before_step != manifest.step:
        told.append(f"the weights are those of step {manifest.before_step}, the last that were kept")
    if manifest.before_step is None:
        told.append("the weights are those after the step: none from before it were kept")
    script = Path(file) if file is not None and Path(file).is_file() else None
    if script is not None and digest_of(script, follow=True) != manifest.program.script_digest:
        told.append(f"{script} was changed since, or is another program")
    return told


def _fact(manifest: Manifest, first: Attempt) -> FirstBad:
    culprit, bad = first.culprit, first.seen.bad if first.seen is not None else None
    losses = [row.get("loss") for row in manifest.window]
    fact = FirstBad(
        rank=manifest.rank,
        kind="parameter" if bad == "weight" else bad or "loss",
        step=manifest.step,
        site=None,
        module=None,
        operation=None,
        detail="",
        share=0.0,
        earlier=tuple(float(loss) for loss in losses[:-1] if isinstance(loss, int | float))[-MOST_EARLIER:],
        lr=_first(manifest.config.get("lr")),
    )
    if culprit is None:
        return fact
    given = f"{culprit.name} was not finite before the step began" if culprit.name else "it was there before the step"
    return msgspec.structs.replace(
        fact,
        site=culprit.site,
        module=culprit.module,
        operation=culprit.operation,
        detail=given if culprit.phase == "given" else culprit.words or f"made by `{culprit.operation}`",
        inputs=() if culprit.phase == "given" else culprit.inputs,
        remedy=culprit.remedy,
    )


def _first(values: Any) -> float | None:
    return float(values[0]) if isinstance(values, list) and values and isinstance(values[0], int | float) else None


def shown_command(target: Target) -> str:
    """All of it, in one line that hides nothing."""
    return in_one_line(shlex.join(target.plain))
