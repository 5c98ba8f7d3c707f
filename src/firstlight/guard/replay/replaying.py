"""`firstlight replay`: has the program do a captured step again, in its own precision and in float32, and judges it."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from firstlight.errors import UsageError
from firstlight.guard.replay.order import Order, Precision
from firstlight.guard.replay.outcome import Attempt, report_on
from firstlight.observe import target as targets
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Eyes, watch
from firstlight.records.nonfinite import BadOperation, Replayed
from firstlight.records.printable import in_one_line
from firstlight.records.report import Report, Subject
from firstlight.report import json as json_report
from firstlight.store.artifacts import Artifact
from firstlight.store.run_directory import FOLDER, RunDirectory, shown

EXTENSION = "firstlight.guard.replay.inside:install"
SECONDS = 300.0
"""For the step itself, every operation of which is looked at."""


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
    report = report_on(artifact, attempts, subject)
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


def shown_command(target: Target) -> str:
    """All of it, in one line that hides nothing."""
    return in_one_line(shlex.join(target.plain))
