"""What the statistics of the lab promise, by simulation: false winners, power, shares of variance, trials of a search.

`python bench/lab_statistics.py [REPETITIONS]`. The verbs are asked as a user's command asks them; only the runs are
drawn instead of trained, so that what is true is known.
"""

import math
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median

from firstlight.errors import UsageError
from firstlight.lab import bisect, compare, seeds, statistics
from firstlight.lab.compare import CompareQuestion
from firstlight.lab.seeds import SeedsQuestion
from firstlight.lab.trials import Run, RunChoices, Runner
from firstlight.observe.target import Target
from firstlight.records.lab import LabReport
from firstlight.records.trials import FinishedRun
from firstlight.store.run_directory import RunDirectory

Draw = Callable[[random.Random], float]
SEEDS = 16
KEYS = tuple(f"key{at}" for at in range(30))
METRIC = "val_acc"


class DrawnRuns(Runner):
    """Gives the result of each run at once."""

    def __init__(self, result: Callable[[Run], float]) -> None:
        super().__init__(RunDirectory(Path("nowhere")), RunChoices(jobs=1), lambda _text: None)
        self._result = result

    def run(self, runs: Sequence[Run]) -> list[FinishedRun | None]:
        made = [FinishedRun(name=run.name, seed=run.seed, values={METRIC: (self._result(run),)}) for run in runs]
        self.made += made
        return list(made)


def target(*words: str) -> Target:
    return Target(words, words, None, "python")


def _accuracy(examples: int) -> Draw:
    return lambda luck: sum(luck.random() < 0.9 for _ in range(examples)) / examples


NULL: dict[str, Draw] = {
    "normal": lambda luck: luck.gauss(0, 1),
    "heavy tails (Student, 3)": lambda luck: luck.gauss(0, 1) / math.sqrt(luck.gammavariate(1.5, 2) / 3),
    "skewed (log-normal)": lambda luck: luck.lognormvariate(0, 1),
    "one run in five fails badly": lambda luck: luck.gauss(0, 0.1) - (luck.random() < 0.2),
    "accuracy on 100 examples": _accuracy(100),
    "printed with two digits": lambda luck: round(luck.gauss(0.9, 0.01), 2),
}


def judged(result: Callable[[Run], float], variants: int = 1, most: int = SEEDS) -> dict[str, compare.AgainstReference]:
    """As `compare` judges, which looks after every pair and stops once all is decided."""
    named = [Run(name=f"v{at}", target=target(f"{at}.py")) for at in range(variants + 1)]
    evidence, _ = compare.gathered(named, CompareQuestion(seeds=most), DrawnRuns(result))
    return evidence.judged()


def false_winners(repetitions: int) -> list[str]:
    lines = [f"| metric | false winners in up to {SEEDS} looks |", "|---|---|"]
    for name, draw in NULL.items():
        luck = random.Random(1)
        hits = sum(_any_winner(lambda _: draw(luck), 1) for _ in range(repetitions))  # noqa: B023 (used at once)
        lines.append(f"| {name} | {hits / repetitions:.1%} |")
    luck, several = random.Random(2), max(1, repetitions // 2)
    hits = sum(_any_winner(lambda _: luck.gauss(0, 1), 5) for _ in range(several))
    lines.append(f"| normal, any of 5 variants against one, corrected | {hits / several:.1%} |")
    return lines


def _any_winner(result: Callable[[Run], float], variants: int) -> bool:
    return any(one.verdict != "undecided" for one in judged(result, variants).values())


def power(repetitions: int) -> list[str]:
    lines = [
        "| effect, in sd of the differences | found in 5 pairs | in 8 | in 16 | pairs in the median |",
        "|---|---|---|---|---|",
    ]
    for effect in (0.5, 1.0, 1.5, 2.0, 3.0, 5.0):
        luck = random.Random(3)
        found = [_pairs_until_better(luck, effect) for _ in range(repetitions)]
        ends = [end for end in found if end is not None]
        within = [f"{sum(end <= most for end in ends) / repetitions:.0%}" for most in (5, 8, 16)]
        lines.append(f"| {effect} | {' | '.join(within)} | {median(ends) if ends else ''} |")
    return lines


def _pairs_until_better(luck: random.Random, effect: float) -> int | None:
    """The reference is constant: what a pair differs by is drawn whole."""
    one = judged(lambda run: luck.gauss(effect, 1) if run.name == "v1" else 0.0)["v1"]
    return one.paired.pairs if one.verdict == "better" else None


def coverage(repetitions: int) -> list[str]:
    luck = random.Random(4)
    missed = 0
    for _ in range(repetitions):
        values: list[float] = []
        outside = False
        for count in range(1, SEEDS + 1):
            values.append(luck.gauss(1.0, 1.0))
            low, high = statistics.interval(values)
            outside |= count >= statistics.LEAST_PAIRS and not low <= 1.0 <= high
        missed += outside
    return [f"The interval held the true mean at every one of {SEEDS} looks in {1 - missed / repetitions:.1%} of runs."]


CASES: dict[str, dict[str, float]] = {
    "initialisation alone": {"init": 1.0},
    "order alone": {"order": 1.0},
    "dropout alone": {"dropout": 1.0},
    "nondeterminism alone": {"nondeterminism": 1.0},
    "initialisation and order alike": {"init": 1.0, "order": 1.0},
    "4 : 2 : 1 : 0": {"init": 4.0, "order": 2.0, "dropout": 1.0},
    "4 : 2 : 1 : 1": {"init": 4.0, "order": 2.0, "dropout": 1.0, "nondeterminism": 1.0},
}
"""Variances by source; what is not named is constant."""
SHARED = ("init", "order", "dropout", "nondeterminism")


def variance_shares(repetitions: int) -> list[str]:
    lines = [
        "| initialisation : order : dropout : nondeterminism | true shares | mean of the estimates | 90 % intervals hold them |",
        "|---|---|---|---|",
    ]
    for name, variances in CASES.items():
        luck, total = random.Random(5), sum(variances.values())
        asked = SeedsQuestion(seeds=2, sources=("init", "order", "dropout"), each=8)
        told = [
            seeds.of_runs(target("a.py"), asked, DrawnRuns(_constructed(variances, luck)))
            for _ in range(max(1, repetitions // 20))
        ]
        truth = [variances.get(source, 0.0) / total for source in SHARED]
        means = [fmean(float(str(one.numbers[f"share.{source}"])) for one in told) for source in SHARED]
        held = fmean(_holds(one, truth) for one in told)
        lines.append(f"| {name} | {_percent(truth)} | {_percent(means)} | {held:.0%} |")
    return lines


def _constructed(variances: dict[str, float], luck: random.Random) -> Callable[[Run], float]:
    """A program whose metric is a sum of draws, one for each source; a source that is not varied draws the same."""
    drawn: dict[tuple[str, int], float] = {}

    def draw(source: str, seed: int) -> float:
        return drawn.setdefault((source, seed), luck.gauss(0, math.sqrt(variances.get(source, 0.0))))

    def result(run: Run) -> float:
        varied = {name: int(at) for name, _, at in (word[5:].partition(":") for word in run.orders if "vary=" in word)}
        return luck.gauss(0, math.sqrt(variances.get("nondeterminism", 0.0))) + sum(
            draw(source, varied.get(source, run.seed)) for source in ("init", "order", "dropout")
        )

    return result


def _holds(report: LabReport, truth: Iterable[float]) -> float:
    """Of all sources, the share whose interval holds the true one."""
    ends = [(float(str(row[4])), float(str(row[5]))) for row in report.tables[1].rows]
    return fmean(low - 1e-9 <= true <= high + 1e-9 for (low, high), true in zip(ends, truth, strict=True))


def _percent(shares: Sequence[float]) -> str:
    return " : ".join(f"{share:.0%}" for share in shares)


def searches(repetitions: int) -> list[str]:
    """A planted difference among 30 keys, each trial judged by as many noisy runs as it takes."""
    lines = [
        "| distance of good and bad, in sd | found | trials, mean | most | runs a trial |",
        "|---|---|---|---|---|",
    ]
    for distance in (5.0, 10.0, 30.0):
        luck = random.Random(6)
        results = [_search(luck, distance) for _ in range(max(1, repetitions // 10))]
        right, trials, runs = (fmean(column) for column in zip(*results, strict=True))
        most = max(trials for _, trials, _ in results)
        lines.append(f"| {distance:g} | {right:.0%} | {trials:.2f} | {most} | {runs:.2f} |")
    least = math.log2(len(KEYS))
    return [
        *lines,
        "",
        (
            f"One of {len(KEYS)} takes log2({len(KEYS)}) = {least:.2f} questions on average, whoever asks them, and "
            f"{math.ceil(least)} at most."
        ),
    ]


def _search(luck: random.Random, distance: float) -> tuple[bool, int, float]:
    culprit = luck.choice(KEYS)
    space = bisect.Space(
        names=KEYS,
        told={key: key for key in KEYS},
        run=lambda chosen: Run(name="trial", target=target("a.py", *chosen)),
        command=("a.py",),
    )
    runner = DrawnRuns(lambda run: luck.gauss(0 if culprit in run.target.words else distance, 1))
    try:
        report = bisect.of_space(space, CompareQuestion(seeds=SEEDS), runner)
    except UsageError:  # good and bad could not be told apart
        return False, 0, 0.0
    (table,) = report.tables
    judged_by = [float(str(row[2])) for row in table.rows if isinstance(row[0], int)]
    return report.numbers["culprit"] == culprit, int(str(report.numbers["trials"])), fmean(judged_by)


PARTS: tuple[tuple[str, Callable[[int], list[str]]], ...] = (
    ("False winners on null pairs (promised: at most 5 %)", false_winners),
    ("Power on known effects", power),
    ("Intervals", coverage),
    ("Shares of variance", variance_shares),
    ("A planted difference among 30 keys", searches),
)


def sections(repetitions: int) -> list[str]:
    return [line for title, part in PARTS for line in (f"## {title}", "", *part(repetitions), "")]


def main() -> None:
    print("\n".join(sections(int(sys.argv[1]) if len(sys.argv) > 1 else 400)))


if __name__ == "__main__":
    main()
