"""What came out of doing a captured step again: it went wrong as it had, the fix holds, or nobody can tell."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from firstlight.checks.catalogue import named
from firstlight.checks.numerics import value_nonfinite
from firstlight.checks.run import script_crashed
from firstlight.findings.judge import Judgement, judge, stamp
from firstlight.guard.replay.order import Precision
from firstlight.judge.report import report
from firstlight.observe.watch import Watched
from firstlight.records.artifact import Manifest, Program
from firstlight.records.facts import FirstBad
from firstlight.records.finding import Evidence, Severity
from firstlight.records.nonfinite import BadOperation, Replayed
from firstlight.records.places import Where
from firstlight.records.report import Coverage, Report, Subject, Timing
from firstlight.store.artifacts import Artifact, digest_of

MOST_EARLIER = 12
STOOD_OUT = 5.0
"""Times the usual loss, from which on a captured step is one whose loss stood out."""
AGAIN = 0.5
"""Share of the captured loss that a repetition must reach to be called the same."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The step, done again in one precision."""

    precision: Precision
    seen: Replayed | None
    culprit: BadOperation | None
    watched: Watched

    @property
    def crashed(self) -> bool:
        return self.seen is None and self.watched.outcome().ended == "crashed"

    @property
    def words(self) -> str:
        if self.crashed:
            return f"crashes: {self.watched.outcome().message}"
        if self.seen is None:
            return f"did not get to the step: {self.watched.outcome().message or 'the program never trained'}"
        if self.seen.bad is not None:
            return f"the {self.seen.bad} is not finite"
        return "everything stays finite" + (f", loss {self.seen.loss:.4g}" if self.seen.loss is not None else "")

    @property
    def is_whole(self) -> bool:
        """The captured weights and the captured batch found their places."""
        return self.seen is not None and self.seen.fed and any(name.startswith("model") for name in self.seen.loaded)


def report_on(artifact: Artifact, attempts: tuple[Attempt, ...], subject: Subject) -> Report:
    first, manifest = attempts[0], artifact.manifest
    judgement = _judged(artifact, attempts)
    holds = None if judgement.findings else _holding(manifest, first, subject.file)
    seconds = round(sum(attempt.watched.seconds for attempt in attempts), 3)
    made = report(
        subject,
        judgement,
        Coverage(
            steps=1,
            seconds=seconds,
            ended="the captured step was done again",
            experiments=tuple(attempt.precision for attempt in attempts),
            limits=tuple(_limits(manifest, first, subject.file)),
        ),
        Timing(started=manifest.created, seconds=seconds),
        None if judgement.findings or holds else _unjudged(manifest, first),
    )
    return msgspec.structs.replace(
        made,
        reason=holds or made.reason,
        diagnosis=(),
        trail=tuple(f"{attempt.precision}: {attempt.words}" for attempt in attempts),
        output_tail=tuple(first.watched.lines[-25:]) if first.seen is None else (),
    )


def _judged(artifact: Artifact, attempts: tuple[Attempt, ...]) -> Judgement:
    first, manifest = attempts[0], artifact.manifest
    if first.crashed and _crashed_then(manifest):
        outcome = msgspec.structs.replace(first.watched.outcome(), steps=manifest.step)
        return judge((script_crashed.CHECK,), [outcome], trained=True)
    bad = first.seen is not None and first.seen.bad is not None
    facts = [_first_bad(manifest, attempts)] if bad else []
    judged = judge((value_nonfinite.CHECK,), facts, trained=first.seen is not None)
    again = None if bad else _stands_out_again(artifact, first)
    check = named((manifest.check or "").partition(" ")[0])
    if again is None or check is None:
        return judged
    return Judgement((stamp(check, again),), judged.outcomes)


def _stands_out_again(artifact: Artifact, first: Attempt) -> Evidence | None:
    """The loss of that step was far above the usual one, and is so again: the batch and the weights do it."""
    manifest, now = artifact.manifest, first.seen.loss if first.seen is not None else None
    odd = first.seen.outliers if first.seen is not None else ""
    then = next((row.get("loss") for row in manifest.window if row.get("step") == manifest.step), None)
    others = [row["loss"] for row in manifest.window if isinstance(row.get("loss"), float)]
    if now is None or not isinstance(then, float) or not others or not first.is_whole:
        return None
    usual = median(others)
    if not (then > STOOD_OUT * abs(usual) and now > AGAIN * then):
        return None
    return Evidence(
        where=Where(step=manifest.step, rank=manifest.rank),
        saw=f"done again with the captured weights and batch, step {manifest.step} has a loss of {now:.4g} as it had "
        f"then ({then:.4g}), where {usual:.4g} is usual{f'; {odd}' if odd else ''}",
        wanted=f"a loss near {usual:.4g}",
        severity=Severity.ERROR,
        numbers={"loss": now, "usual": usual},
    )


def _crashed_then(manifest: Manifest) -> bool:
    return manifest.check.startswith(script_crashed.CHECK.id)


def _holding(manifest: Manifest, first: Attempt, file: str | None) -> str | None:
    """The same step, done by a program that was changed since, goes well: in words, or None where it cannot be said."""
    if first.seen is None or not first.is_whole or not has_changed(manifest.program, file):
        return None
    went_wrong = "crashed" if _crashed_then(manifest) else "was not finite" if "nonfinite" in manifest.check else ""
    if not went_wrong:
        return None
    loss = f" (loss {first.seen.loss:.4g})" if first.seen.loss is not None else ""
    return (
        f"the fix holds: step {manifest.step}, which {went_wrong}, is finite now{loss}, "
        "with the batch and the weights it had"
    )


def has_changed(program: Program, file: str | None) -> bool:
    """Whether the script, or a file of its own that it imports, is not what it was when the step was captured."""
    known = {Path(name): digest for name, digest in program.sources.items()}
    if file is not None and program.script_digest:
        known[Path(file)] = program.script_digest
    return any(path.is_file() and digest_of(path, follow=True) != digest for path, digest in known.items())


def _unjudged(manifest: Manifest, first: Attempt) -> str | None:
    if first.seen is None:
        return f"the program {first.words}"
    if "nonfinite" not in manifest.check and not _crashed_then(manifest):
        return None
    return f"step {manifest.step} was done again and stays finite: it is not reproduced by what was kept"


def _limits(manifest: Manifest, first: Attempt, file: str | None) -> list[str]:
    """What makes this step not quite the captured one."""
    seen = first.seen
    told = [f"not kept: {left.part}: {left.reason}" for left in manifest.left_out]
    if seen is not None and not seen.fed:
        told.append("no loader or model took the captured batch; the program's own was used")
    if seen is not None and not any(name.startswith("model") for name in seen.loaded):
        told.append("no model took the captured weights; the program's own were used")
    if manifest.before_step is not None and manifest.before_step != manifest.step:
        told.append(f"the weights are those of step {manifest.before_step}, the last that were kept")
    if manifest.before_step is None:
        told.append("the weights are those after the step: none from before it were kept")
    if has_changed(manifest.program, file):
        told.append(f"{file or 'the program'} was changed since, or is another program")
    return told


def _first_bad(manifest: Manifest, attempts: tuple[Attempt, ...]) -> FirstBad:
    first = attempts[0]
    culprit, bad = first.culprit, first.seen.bad if first.seen is not None else None
    losses = [row.get("loss") for row in manifest.window]
    wide = next((a.seen for a in attempts[1:] if a.seen is not None and a.seen.bad is None and a.is_whole), None)
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
        in_float32=wide.loss if wide is not None else None,
    )
    if culprit is None:
        return fact
    given = f"{culprit.name} was not finite before the step began" if culprit.name else "it was there before the step"
    row = f", in row {culprit.row} of {culprit.rows}" if culprit.row is not None else ""
    return msgspec.structs.replace(
        fact,
        site=culprit.site,
        module=culprit.module,
        operation=culprit.operation,
        detail=(given if culprit.phase == "given" else culprit.words or f"made by `{culprit.operation}`") + row,
        inputs=() if culprit.phase == "given" else culprit.inputs,
        remedy=culprit.remedy,
    )


def _first(values: Any) -> float | None:
    return float(values[0]) if isinstance(values, list) and values and isinstance(values[0], int | float) else None
