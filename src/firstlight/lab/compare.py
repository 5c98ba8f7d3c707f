"""`compare`: is the other variant better, or was it lucky? Pairs of runs with the same seed, looked at after each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev

from firstlight.errors import UsageError
from firstlight.lab import statistics
from firstlight.lab.metric import Metric, choose, value
from firstlight.lab.statistics import ALPHA, LEAST_PAIRS, Paired
from firstlight.lab.trials import Run, Runner, must_have_run
from firstlight.observe.target import Target
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabPlot, LabReport, LabTable
from firstlight.records.trials import FinishedRun


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareQuestion:
    """What is asked about the variants, and when it is answered."""

    metric: str | None = None
    better: str | None = None
    seeds: int = 8
    """At most so many pairs; fewer where they decide it."""
    worth: float = 0.0
    """The smallest difference that matters: what is surely smaller is decided too."""


@dataclass
class Variants:
    """The runs of each variant, the reference first."""

    runs: dict[str, list[FinishedRun]]
    question: CompareQuestion
    metric: Metric = field(init=False)

    def __post_init__(self) -> None:
        every = [trial for trials in self.runs.values() for trial in trials if trial.exit_code == 0]
        self.metric = choose(every, self.question.metric, self.question.better)

    @property
    def reference(self) -> str:
        return next(iter(self.runs))

    @property
    def others(self) -> list[str]:
        return list(self.runs)[1:]

    def values(self, name: str) -> dict[int, float]:
        """By seed; NaN where a run failed, diverged or did not tell the metric."""
        return {trial.seed: value(trial, self.metric) for trial in self.runs[name]}

    def finite(self, name: str) -> list[float]:
        return [number for number in self.values(name).values() if math.isfinite(number)]

    def gains(self, name: str) -> list[float]:
        """By how much it is better than the reference, for each seed that both have."""
        mine, theirs = self.values(name), self.values(self.reference)
        pairs = [(mine[seed], theirs[seed]) for seed in sorted(mine.keys() & theirs.keys())]
        return [self.metric.gain(one, other) for one, other in pairs if math.isfinite(one) and math.isfinite(other)]

    def failed(self, name: str) -> int:
        return sum(not math.isfinite(number) for number in self.values(name).values())

    def judged(self) -> dict[str, "AgainstReference"]:
        """Every variant against the reference, with as many of them taken into account."""
        gains = {name: self.gains(name) for name in self.others}
        level = ALPHA / max(1, len(gains))
        found = {name: statistics.paired(those, level) for name, those in gains.items() if those}
        corrected = dict(zip(found, statistics.holm([one.p for one in found.values()]), strict=True))
        return {name: AgainstReference(name, one, corrected[name], self) for name, one in found.items()}

    @property
    def varies(self) -> bool:
        """Whether the seed changes anything: where it does not, all pairs are one pair."""
        return any(len(set(self.finite(name))) > 1 for name in self.runs)


@dataclass(frozen=True, slots=True)
class AgainstReference:
    name: str
    paired: Paired
    p: float
    """Corrected for the number of variants."""
    evidence: Variants

    @property
    def verdict(self) -> str:
        """`better`, `worse`, `same` where the difference is surely too small to matter, else `undecided`."""
        worth = self.evidence.question.worth
        if worth and max(abs(self.paired.low), abs(self.paired.high)) < worth:
            return "same"
        if self.p > ALPHA or self.paired.pairs < LEAST_PAIRS or not self.evidence.varies:
            return "undecided"
        return "better" if self.paired.mean > 0 else "worse"


def of_runs(variants: Sequence[tuple[str, Target]], question: CompareQuestion, bench: Runner) -> LabReport:
    templates = [Run(name=name, target=target) for name, target in variants]
    evidence, left = gathered(templates, question, bench)
    return report(evidence, tuple(" ".join(target.words) for _, target in variants), left=left)


def gathered(variants: Sequence[Run], question: CompareQuestion, bench: Runner) -> tuple[Variants, int]:
    """Pairs of runs, until every variant is decided, the seeds are spent, or the user has enough; and runs left out.

    The first variant is the reference.
    """
    runs: dict[str, list[FinishedRun]] = {variant.name: [] for variant in variants}
    still_open = list(runs)
    seed = 0
    while seed < question.seeds and still_open and not bench.interrupted:
        at_once = LEAST_PAIRS if not seed else max(1, bench.choices.at_once // len(still_open))
        seeds = range(seed, min(question.seeds, seed + at_once))
        asked = [replace(one, seed=seed) for seed in seeds for one in variants if one.name in still_open]
        made = bench.run(asked)
        if not seed:
            must_have_run(made)
        for run, trial in zip(asked, made, strict=True):
            runs[run.name] += [] if trial is None else [trial]
        seed = seeds.stop
        still_open = _still_open(Variants(runs, question))
    left = len(still_open) * (question.seeds - seed) + made.count(None) if bench.interrupted else 0
    return Variants(runs, question), left


def _still_open(evidence: Variants) -> list[str]:
    """The reference and those that are not decided, but for those that never come to their end."""
    judged = evidence.judged()
    waiting = [
        name
        for name in evidence.others
        if (judged[name].verdict == "undecided" if name in judged else len(evidence.runs[name]) < LEAST_PAIRS)
    ]
    return [evidence.reference, *waiting] if waiting else []


def report(evidence: Variants, command: tuple[str, ...], left: int = 0) -> LabReport:
    judged = evidence.judged()
    if not judged:
        if left:
            raise KeyboardInterrupt
        raise UsageError(_no_pair(evidence))
    return LabReport(
        kind="compare",
        command=command,
        answer=_answer(evidence, judged),
        numbers=_numbers(evidence, judged),
        advice=tuple(_advice(evidence, judged)),
        tables=(_table(evidence, judged), _by_seed(evidence)),
        plots=(seed_plot(evidence),),
        done=sum(map(len, evidence.runs.values())),
        left=left,
        limits=(*evidence.metric.told(), *_limits(evidence)),
    )


def _no_pair(evidence: Variants) -> str:
    told = [f"no pair of runs has a value of `{evidence.metric.name}` in both variants"]
    for name, trials in evidence.runs.items():
        why = next((f": {trial.message}" for trial in trials if trial.message), "")
        told.append(f"{name}: {evidence.failed(name)} of {len(trials)} runs failed or gave no number{why}")
    return "; ".join(told)


def _answer(evidence: Variants, judged: dict[str, AgainstReference]) -> str:
    winners = [one for one in judged.values() if one.verdict == "better"]
    reference, name = evidence.reference, evidence.metric.name
    if winners:
        best = max(winners, key=lambda one: one.paired.mean)
        others = f" {len(winners)} of {len(judged)} variants are better." if len(judged) > 1 else ""
        return f"{best.name} is better than {reference} in `{name}`: {_difference(best.paired)}.{others}"
    if len(judged) > 1:
        told = ", ".join(f"{one.name} {_said(one)}" for one in judged.values())
        return f"No variant is shown to be better than {reference} in `{name}`: {told}."
    only = next(iter(judged.values()))
    if only.verdict == "worse":
        return f"{only.name} is worse than {reference} in `{name}`: {_difference(only.paired)}."
    if only.verdict == "same":
        return f"{only.name} and {reference} differ in `{name}` by less than {evidence.question.worth:g}."
    if not only.paired.sd and not only.paired.mean:
        return f"{only.name} and {reference} have exactly the same `{name}` in {_pairs(only.paired)}."
    if not evidence.varies and only.paired.pairs > 1:
        return (
            f"Undecided: {only.name} and {reference} differ in `{name}` by {only.paired.mean:+.4g}, but no seed "
            "changes either of them, so all pairs are one and the same."
        )
    return (
        f"Undecided: {only.name} and {reference} differ in `{name}` "
        f"by no more than luck explains, in {_pairs(only.paired)}: {_difference(only.paired)}."
    )


def _said(one: AgainstReference) -> str:
    return "is worse" if one.verdict == "worse" else "makes no difference" if one.verdict == "same" else "is undecided"


def _pairs(paired: Paired) -> str:
    return f"{paired.pairs} pair{'' if paired.pairs == 1 else 's'} of runs"


def _difference(paired: Paired) -> str:
    """A gain is positive whichever way the metric goes."""
    if not math.isfinite(paired.low):
        return f"{paired.mean:+.4g}, too few pairs for an interval"
    return f"{paired.mean:+.4g} (between {paired.low:+.4g} and {paired.high:+.4g})"


def _advice(evidence: Variants, judged: dict[str, AgainstReference]) -> list[str]:
    if not evidence.varies:
        return ["pass the seed through an option of the script: `--seed-arg=--seed`"]
    told = []
    level = ALPHA / max(1, len(judged))
    for name, one in judged.items():
        if one.verdict != "undecided" or not (one.paired.mean or one.paired.sd):
            continue
        more = statistics.more_pairs(evidence.gains(name), level)
        told.append(
            f"{name}: a difference this small would need more than {statistics.MOST_MORE} more seeds"
            if more is None
            else f"{name}: if the difference is real, about {more} more seeds would settle it: "
            f"`-n {one.paired.pairs + more}` continues from here"
        )
    return told


def _numbers(evidence: Variants, judged: dict[str, AgainstReference]) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {"metric": evidence.metric.name, "higher_is_better": evidence.metric.higher}
    for name, one in judged.items():
        prefix = f"{name}." if len(judged) > 1 else ""
        found |= {
            f"{prefix}verdict": one.verdict,
            f"{prefix}gain": one.paired.mean,
            f"{prefix}low": one.paired.low,
            f"{prefix}high": one.paired.high,
            f"{prefix}effect_size": one.paired.effect,
            f"{prefix}p": one.p,
            f"{prefix}pairs": one.paired.pairs,
        }
    return found


def _table(evidence: Variants, judged: dict[str, AgainstReference]) -> LabTable:
    rows: list[tuple[Scalar, ...]] = []
    for name in evidence.runs:
        finite = evidence.finite(name)
        spread = (fmean(finite) if finite else None, stdev(finite) if len(finite) > 1 else None)
        one = judged.get(name)
        label = "reference" if name == evidence.reference else "no pair"
        against: tuple[Scalar, ...] = (label, None, None, None, None)
        if one is not None:
            known = math.isfinite(one.paired.low)
            ends = (one.paired.low, one.paired.high) if known else (None, None)
            against = (one.verdict, one.paired.mean, *ends, one.paired.effect)
        rows.append((name, len(evidence.runs[name]), evidence.failed(name), *spread, *against))
    head = ("variant", "runs", "failed", "mean", "sd", "verdict", "gain", "low", "high", "effect")
    return LabTable(title=f"{evidence.metric.name} ({evidence.metric.wanted})", head=head, rows=tuple(rows))


def _by_seed(evidence: Variants) -> LabTable:
    values = {name: evidence.values(name) for name in evidence.runs}
    seeds = sorted({seed for those in values.values() for seed in those})
    rows = tuple((seed, *(those.get(seed) for those in values.values())) for seed in seeds)
    return LabTable(title="by seed", head=("seed", *values), rows=rows)


def seed_plot(evidence: Variants) -> LabPlot:
    """The metric of every run, a line for each variant."""
    curves = []
    for name in evidence.runs:
        points = sorted((seed, number) for seed, number in evidence.values(name).items() if math.isfinite(number))
        curves.append(LabCurve(name=name, x=tuple(float(x) for x, _ in points), y=tuple(y for _, y in points)))
    note = (
        "lines that rise and fall together share the luck of their seeds; the distance between them is the difference"
    )
    return LabPlot(title="each seed", x="seed", y=evidence.metric.name, curves=tuple(curves), note=note)


def _limits(evidence: Variants) -> list[str]:
    told = []
    for name in evidence.runs:
        if failed := evidence.failed(name):
            told.append(
                f"{failed} of {len(evidence.runs[name])} runs of {name} failed or gave no number; they are in no pair"
            )
    return told
