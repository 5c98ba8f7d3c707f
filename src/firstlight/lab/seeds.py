"""`seeds`: how far apart are runs that differ in nothing but luck, and which luck is it?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev, variance

from firstlight.experiments.inside.seeding import DATA, DROPOUT, INIT, ORDERING, SOURCES
from firstlight.lab import determinism, statistics
from firstlight.lab.determinism import Parting
from firstlight.lab.metric import Metric, choose, value
from firstlight.lab.statistics import NONDETERMINISM, Share
from firstlight.lab.trials import Run, Runner, must_have_run
from firstlight.observe.target import Target
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabPlot, LabReport, LabTable
from firstlight.records.trials import FinishedRun

NAMES = {
    INIT: "initialization",
    ORDERING: "order and augmentation",
    DROPOUT: "dropout",
    DATA: "data and the rest",
    NONDETERMINISM: NONDETERMINISM,
}
LEAST_EACH = 3
REPEATS = 3
"""Runs of one seed, compared operation by operation."""
TWO_RUNS = 1.96 * math.sqrt(2)
"""Standard deviations by which two single runs differ one time in twenty."""
MOST_OF_IT = 0.5
STREAMS = (f"vary={INIT}:0",)
"""Each source draws from a stream of its own, and none is varied yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedsQuestion:
    metric: str | None = None
    better: str | None = None
    seeds: int = 8
    sources: tuple[str, ...] = SOURCES
    each: int | None = None
    """Runs for each source."""


@dataclass
class SeedSpread:
    """What the runs told, each kind by itself."""

    metric: Metric
    spread: list[float]
    by_source: dict[str, list[float]] = field(default_factory=dict)
    repeated: list[FinishedRun] = field(default_factory=list)
    """Of one seed, with what every operation of them made; and below, without."""
    further: list[FinishedRun] = field(default_factory=list)
    failed: int = 0
    seeded: bool = True

    @property
    def repeats(self) -> list[float]:
        return self.finite([*self.repeated, *self.further])

    def finite(self, trials: Sequence[FinishedRun | None]) -> list[float]:
        numbers = [value(trial, self.metric) for trial in trials if trial is not None]
        return [number for number in numbers if math.isfinite(number)]

    def shares(self) -> dict[str, Share]:
        enough = {name: values for name, values in self.by_source.items() if len(values) > 1}
        return statistics.shares(enough, self.repeats) if enough else {}

    def explained(self) -> float | None:
        """The part of the variance over seeds that the sources have when each is varied alone."""
        whole = variance(self.spread) if len(self.spread) > 1 else 0.0
        return sum(one.variance for one in self.shares().values()) / whole if whole and self.by_source else None

    def parting(self) -> Parting | None:
        return determinism.of_trials(self.repeated) if len(self.repeated) > 1 else None


def of_runs(target: Target, question: SeedsQuestion, bench: Runner) -> LabReport:
    name = target.shown
    asked = [Run(name=name, target=target, seed=seed) for seed in range(question.seeds)]
    made = bench.run(asked[: bench.choices.at_once])  # what is wrong with all of them shows in the first
    must_have_run(made)
    metric = choose([one for one in made if one is not None and one.exit_code == 0], question.metric, question.better)
    made += bench.run(asked[len(made) :])
    done = [trial for trial in made if trial is not None]
    found = SeedSpread(metric, [])
    found.spread = found.finite(done)
    found.failed = len(done) - len(found.spread)
    found.seeded = any(trial.seeded for trial in done)
    plan = {source: varied(target, source, _each(question)) for source in question.sources}
    left = len(made) - len(done)
    for source, runs in plan.items():
        those = bench.run(runs)
        found.by_source[source] = found.finite(those)
        left += those.count(None)
    if question.sources:
        left += _repeat(target, found, _each(question), bench)
    return _report(target, found, left, len(bench.made))


def _repeat(target: Target, found: SeedSpread, each: int, bench: Runner) -> int:
    """Runs of one seed, and as many as each source has where they are not alike; returns how many are left out."""
    runs = [Run(name=target.shown, target=target, again=at + 1) for at in range(max(REPEATS, each))]
    first = bench.run([replace(run, orders=("digest",)) for run in runs[:REPEATS]])
    found.repeated = [trial for trial in first if trial is not None and trial.exit_code == 0]
    if found.parting() is None and len(set(found.repeats)) < 2:  # more of them would tell nothing
        return first.count(None)
    more = bench.run(runs[REPEATS:])
    found.further = [trial for trial in more if trial is not None and trial.exit_code == 0]
    return first.count(None) + more.count(None)


def _each(question: SeedsQuestion) -> int:
    return question.each or max(LEAST_EACH, question.seeds // 2)


def varied(target: Target, source: str, count: int) -> list[Run]:
    """The first is the same run for every source. The program's own seeds are what the data is drawn with."""
    first = Run(name=target.shown, target=target, orders=STREAMS)
    if source == DATA:
        rest = [Run(name=target.shown, target=target, orders=STREAMS, seed=at) for at in range(1, count)]
    else:
        varied = [(f"vary={source}:{at}",) for at in range(1, count)]
        rest = [Run(name=target.shown, target=target, orders=orders) for orders in varied]
    return [first, *rest]


def _report(target: Target, found: SeedSpread, left: int, done: int) -> LabReport:
    shares, parting = found.shares(), found.parting()
    return LabReport(
        kind="seeds",
        command=target.words,
        answer=_answer(found, shares, parting),
        numbers=_numbers(found, shares, parting),
        advice=_advice(found, parting),
        tables=tuple(_tables(found, shares)),
        plots=(_plot(found),),
        done=done,
        left=left,
        limits=(*found.metric.told(), *_limits(found)),
    )


def _answer(found: SeedSpread, shares: dict[str, Share], parting: Parting | None) -> str:
    name, values = found.metric.name, found.spread
    if len(values) < 2:
        return f"Fewer than two runs reported `{name}`, so there is no spread."
    sd = stdev(values)
    ends = f"from {min(values):.4g} to {max(values):.4g}"
    told = [f"`{name}` is {fmean(values):.4g} ± {sd:.2g} over {len(values)} seeds, {ends}."]
    if sd:
        told.append(f"Two single runs that differ by less than {TWO_RUNS * sd:.2g} may be equally good.")
    else:
        told.append("The seed changes nothing.")
    told += _moved_most(shares)
    if parting is not None:
        told.append(parting.told()[0].upper() + parting.told()[1:] + ".")
    elif len(set(found.repeats)) > 1:
        told.append(
            "Runs of one seed do the same in torch but report different values: the difference arises outside torch."
        )
    elif len(found.repeated) > 1:
        told.append("Runs of one seed are identical, operation by operation.")
    return " ".join(told)


def _moved_most(shares: dict[str, Share]) -> list[str]:
    """The source with the largest share, and those that may have a larger one: few runs cannot tell them apart."""
    highest = max((one.share for one in shares.values()), default=0.0)
    most = [source for source, one in shares.items() if one.high >= highest > 0]
    if len(most) > 1:
        named = [f"{NAMES[source]} ({shares[source].share:.0%})" for source in most]
        either = f"{', '.join(named[:-1])} or {named[-1]}"
        return [f"Varied one at a time, {either} changes it most: more runs would tell which (`--each`)."]
    return [f"Varied one at a time, {NAMES[source]} changes it most ({shares[source].share:.0%})." for source in most]


def _advice(found: SeedSpread, parting: Parting | None) -> tuple[str, ...]:
    fixed = len(found.spread) > 1 and not stdev(found.spread)
    seed_argument = "pass the seed through an option of the script: `--seed-arg=--seed`"
    return (*((parting.do,) if parting is not None else ()), *((seed_argument,) if fixed else ()))


def _numbers(found: SeedSpread, shares: dict[str, Share], parting: Parting | None) -> dict[str, Scalar]:
    values = found.spread
    numbers: dict[str, Scalar] = {"metric": found.metric.name, "runs": len(values), "failed": found.failed}
    if len(values) > 1:
        low, high = statistics.interval(values)
        numbers |= {"mean": fmean(values), "sd": stdev(values), "low": low, "high": high}
    numbers |= {f"share.{source}": share.share for source, share in shares.items()}
    numbers |= {"explained": found.explained()} if shares else {}
    if len(found.repeated) > 1:
        numbers |= {"deterministic": parting is None and len(set(found.repeats)) < 2}
    if parting is not None:
        numbers |= {"parts_in": parting.operation, "parts_at": parting.line, "parts_after": parting.at}
    return numbers


def _tables(found: SeedSpread, shares: dict[str, Share]) -> list[LabTable]:
    rows = tuple(enumerate(found.spread))
    tables = [LabTable(title=f"{found.metric.name} by seed", head=("seed", "value"), rows=rows)]
    if shares:
        counts = {source: len(values) for source, values in found.by_source.items()} | {
            NONDETERMINISM: len(found.repeats)
        }
        tables.append(
            LabTable(
                title="where the spread comes from, one source varied at a time",
                head=("source", "runs", "sd", "share", "low", "high"),
                rows=tuple(
                    (NAMES[source], counts[source], math.sqrt(one.variance), one.share, one.low, one.high)
                    for source, one in shares.items()
                ),
            )
        )
    return tables


def _plot(found: SeedSpread) -> LabPlot:
    def curve(name: str, values: Sequence[float]) -> LabCurve:
        shares = tuple((at + 0.5) / len(values) for at in range(len(values)))
        return LabCurve(name=name, x=shares, y=tuple(sorted(values)))

    curves = [curve("all varied", found.spread)]
    curves += [curve(f"{NAMES[source]} alone", values) for source, values in found.by_source.items()]
    curves += [curve("nothing varied", found.repeats)] if found.repeats else []
    note = "sorted: the steeper a line, the more that source alone changes the metric"
    return LabPlot(title="each run", x="share of the runs", y=found.metric.name, curves=tuple(curves), note=note)


def _limits(found: SeedSpread) -> list[str]:
    told = []
    if found.failed:
        told.append(f"{found.failed} runs failed or gave no number; they are left out")
    if not found.seeded:
        told.append("the script sets no seed: these runs were given seeds, but your own runs will not repeat")
    explained = found.explained()
    if explained is not None and explained < MOST_OF_IT:
        told.append(
            f"the sources varied alone explain {explained:.0%} of the variance over seeds; the rest comes from others "
            "or from their interaction"
        )
    if found.by_source:
        told.append("shares rest on few runs: each lies between `low` and `high` with 90 % confidence")
    return told
