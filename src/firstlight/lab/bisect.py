"""`bisect`: which of the differences between a good and a bad configuration, or commit, makes it bad?"""

import math
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from firstlight.errors import UsageError
from firstlight.lab import statistics
from firstlight.lab.compare import AgainstReference, CompareQuestion, Variants
from firstlight.lab.delta import Narrowed, Outcome, narrowed
from firstlight.lab.metric import value
from firstlight.lab.trials import Run, Runner
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabPlot, LabReport, LabTable
from firstlight.records.trials import FinishedRun

CERTAIN = math.log(100)
"""Odds at which a trial counts as good or bad."""
GOOD, BAD = "good", "bad"


class Interrupted(Exception):  # noqa: N818 (no error: the user wants no more)
    """The user has enough before the difference is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What lies between good and bad: names of the differences, and the run with some of them."""

    names: tuple[str, ...]
    told: dict[str, str]
    """Each difference in words."""
    run: Callable[[tuple[str, ...]], Run | None]
    """None where there is nothing with exactly these."""
    command: tuple[str, ...]


class Sides:
    """Says on which side of good and bad a run lies, with as many seeds as that takes."""

    def __init__(self, space: Space, question: CompareQuestion, bench: Runner) -> None:
        self.space, self.question, self.bench = space, question, bench
        self.rows: list[tuple[Scalar, ...]] = []
        ends = {GOOD: space.run(()), BAD: space.run(space.names)}
        assert ends[GOOD] is not None
        assert ends[BAD] is not None
        self._ends = [replace(run, name=name) for name, run in ends.items() if run is not None]
        self.crashes = False
        """The bad end does not come to its end, and that is what is bad about it."""
        self.evidence = self._compared()

    def _compared(self) -> Variants:
        """Raises where good and bad cannot be told apart: there is nothing to look for then."""
        runs: dict[str, list[FinishedRun]] = {GOOD: [], BAD: []}
        for seed in range(self.question.seeds):
            for trial in self._made([replace(run, seed=seed) for run in self._ends]):
                runs[trial.name].append(trial)
            self.crashes = all(trial.exit_code != 0 for trial in runs[BAD])
            if any(trial.exit_code != 0 for trial in runs[GOOD]):
                raise UsageError(f"the good one does not finish: {runs[GOOD][-1].message or 'it took too long'}.")
            if self.crashes:
                return Variants({GOOD: runs[GOOD]}, self.question)
            evidence = Variants(runs, self.question)
            judged = evidence.judged().get(BAD)
            if judged is not None and judged.paired.decided and judged.paired.pairs >= statistics.LEAST_PAIRS:
                return self._right_way(evidence, judged)
        raise UsageError(
            f"good and bad cannot be told apart by `{evidence.metric.name}` in {self.question.seeds} pairs of runs, so "
            "there is nothing to look for. Try more seeds with `-n`, or another `--metric`."
        )

    def _right_way(self, evidence: Variants, judged: AgainstReference) -> Variants:
        if judged.paired.mean > 0:
            raise UsageError(
                f"the bad one is better in `{evidence.metric.name}`, by {judged.paired.mean:.4g}. Swap the two, or "
                "say with `--better` which way is better."
            )
        return evidence

    def _made(self, runs: list[Run]) -> list[FinishedRun]:
        made = self.bench.run(runs)
        if None in made:
            raise Interrupted
        return [trial for trial in made if trial is not None]

    def __call__(self, chosen: tuple[str, ...]) -> Outcome:
        run = self.space.run(chosen)
        if run is None:
            return "unclear"
        name = f"trial {len(self.rows) + 1}"
        values: list[float] = []
        outcome: Outcome = "unclear"
        for seed in range(self.question.seeds):
            (trial,) = self._made([replace(run, name=name, seed=seed)])
            if self.crashes:
                outcome = "bad" if trial.exit_code != 0 else "good"
                break
            number = value(trial, self.evidence.metric)
            if not math.isfinite(number):
                break
            values.append(number)
            odds = statistics.side(values, self.evidence.finite(GOOD), self.evidence.finite(BAD))
            if abs(odds) >= CERTAIN:
                outcome = "bad" if odds > 0 else "good"
                break
        mean = fmean(values) if values else None
        self.rows.append((len(self.rows) + 1, len(chosen), seed + 1, mean, outcome))
        return outcome


def of_space(space: Space, question: CompareQuestion, bench: Runner) -> LabReport:
    if not space.names:
        raise UsageError("the two do not differ: there is nothing to search for.")
    sides: Sides | None = None
    try:
        sides = Sides(space, question, bench)
        found = narrowed(space.names, sides)
        alone = sides(found.culprits) if found.good_with else None
    except Interrupted:
        rows = sides.rows if sides is not None else []
        return LabReport(
            kind="bisect",
            command=space.command,
            answer="Interrupted before the difference was found; the same command continues from there.",
            tables=_tables(sides, rows),
            done=len(bench.made),
            left=1,
        )
    return _report(space, sides, found, alone, len(bench.made))


def _report(space: Space, sides: Sides, found: Narrowed, alone: Outcome | None, done: int) -> LabReport:
    named = " and ".join(space.told[name] for name in found.culprits)
    several = len(found.culprits) > 1
    metric = "it does not finish" if sides.crashes else f"`{sides.evidence.metric.name}`"
    together = "" if alone in (None, "bad") else " But it needs other differences too: alone it is not bad."
    unclear = " No trial could separate these." if several else ""
    return LabReport(
        kind="bisect",
        command=space.command,
        answer=f"{named} makes it bad ({metric}): found among {len(space.names)} differences in {found.trials} trials."
        + together
        + unclear,
        numbers={
            "culprit": ", ".join(found.culprits),
            "differences": len(space.names),
            "trials": found.trials,
            "log2": round(math.log2(len(space.names)), 2),
            "alone": None if alone is None else alone == "bad",
        },
        tables=_tables(sides, sides.rows),
        plots=_plots(sides),
        done=done,
        limits=() if sides.crashes else sides.evidence.metric.told(),
    )


def _tables(sides: Sides | None, rows: Sequence[tuple[Scalar, ...]]) -> tuple[LabTable, ...]:
    if sides is None:
        return ()
    name = "value" if sides.crashes else sides.evidence.metric.name
    ends = [
        (side, None, len(sides.evidence.runs[side]), fmean(sides.evidence.finite(side)), side)
        for side in sides.evidence.runs
        if sides.evidence.finite(side)
    ]
    head = ("trial", "differences", "seeds", name, "outcome")
    return (LabTable(title="trials", head=head, rows=(*ends, *rows)),)


def _plots(sides: Sides) -> tuple[LabPlot, ...]:
    """On which side each trial lies; none where it is a crash that is bad, which has no value."""
    values = [(float(str(row[0])), float(str(row[3]))) for row in sides.rows if row[3] is not None]
    if sides.crashes or len(values) < 2:
        return ()
    xs = tuple(x for x, _ in values)
    ends = [
        LabCurve(name=side, x=xs, y=(fmean(sides.evidence.finite(side)),) * len(xs), dashed=True)
        for side in sides.evidence.runs
    ]
    trials = LabCurve(name="trials", x=xs, y=tuple(y for _, y in values))
    return (LabPlot(title="each trial", x="trial", y=sides.evidence.metric.name, curves=(trials, *ends)),)


def commits_between(good: str, bad: str) -> list[str]:
    """From the first after `good` to `bad`, the oldest first."""
    for word in (good, bad):
        if _git("rev-parse", "--verify", "--quiet", f"{word}^{{commit}}") is None:
            raise UsageError(
                f"`{word}` is neither a configuration file (TOML, YAML, JSON), nor arguments that begin with `-`, nor "
                "a commit of a repository here."
            )
    found = (_git("rev-list", "--reverse", "--ancestry-path", f"{good}..{bad}") or "").split()
    if not found:
        raise UsageError(
            f"no commit lies between `{good}` and `{bad}`: the good one must be an ancestor of the bad one."
        )
    return found


def told_commit(commit: str) -> str:
    return (_git("log", "-1", "--format=%h %s", commit) or commit).strip()


def _git(*words: str) -> str | None:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


@contextmanager
def unpacked() -> Iterator[Callable[[str], Path]]:
    """Gives the files of a commit as a folder, without touching the repository or the working tree."""
    home = Path(tempfile.mkdtemp(prefix="fl-commits-"))

    def folder(commit: str) -> Path:
        place = home / commit
        if not place.exists():
            packed = home / f"{commit}.tar"
            subprocess.run(["git", "archive", "-o", str(packed), commit], check=True, capture_output=True)
            with tarfile.open(packed) as archive:
                archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
                archive.extractall(place)
            packed.unlink()
        return place

    try:
        yield folder
    finally:
        shutil.rmtree(home, ignore_errors=True)
