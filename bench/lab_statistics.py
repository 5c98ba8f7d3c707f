"""What the statistics of the lab promise, by simulation: false winners, power, shares of variance, trials of a search.

`python bench/lab_statistics.py [REPETITIONS]` writes `bench/results/lab_statistics.md`. Nothing is trained: each run is a
draw, so that what is true is known.
"""

import math
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean, median

from firstlight.lab import statistics
from firstlight.lab.delta import Outcome, narrowed
from firstlight.lab.statistics import ALPHA, holm, paired, shares, side

Draw = Callable[[random.Random], float]
SEEDS = 16
KEYS = tuple(f"key{at}" for at in range(30))


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


def looked_at(draw: Callable[[], float], seeds: int) -> int | None:
    """After how many pairs a winner is declared, a look being taken after every pair; None for never."""
    gains: list[float] = []
    for count in range(1, seeds + 1):
        gains.append(draw())
        if count >= statistics.LEAST_PAIRS and paired(gains).p <= ALPHA:
            return count
    return None


def false_winners(repetitions: int) -> list[str]:
    lines = [f"| metric | false winners in up to {SEEDS} looks |", "|---|---|"]
    for name, draw in NULL.items():
        luck = random.Random(1)
        hits = sum(looked_at(partial(_difference, draw, luck), SEEDS) is not None for _ in range(repetitions))
        lines.append(f"| {name} | {hits / repetitions:.1%} |")
    luck = random.Random(2)
    hits = sum(_any_of_several(luck, 5) for _ in range(repetitions // 2))
    lines.append(f"| normal, any of 5 variants against one, corrected | {hits / (repetitions // 2):.1%} |")
    return lines


def _difference(draw: Draw, luck: random.Random) -> float:
    return draw(luck) - draw(luck)


def _any_of_several(luck: random.Random, variants: int) -> bool:
    reference: list[float] = []
    others: list[list[float]] = [[] for _ in range(variants)]
    for count in range(1, SEEDS + 1):
        reference.append(luck.gauss(0, 1))
        for other in others:
            other.append(luck.gauss(0, 1))
        if count >= statistics.LEAST_PAIRS:
            found = [paired([x - y for x, y in zip(other, reference, strict=True)]).p for other in others]
            if min(holm(found)) <= ALPHA:
                return True
    return False


def power(repetitions: int) -> list[str]:
    lines = [
        "| effect, in sd of the differences | found in 5 pairs | in 8 | in 16 | pairs in the median |",
        "|---|---|---|---|---|",
    ]
    for effect in (0.5, 1.0, 1.5, 2.0, 3.0, 5.0):
        luck = random.Random(3)
        ends = [looked_at(partial(luck.gauss, effect, 1), SEEDS) for _ in range(repetitions)]
        within = [f"{sum(end is not None and end <= most for end in ends) / repetitions:.0%}" for most in (5, 8, 16)]
        found = [end for end in ends if end is not None]
        lines.append(f"| {effect} | {' | '.join(within)} | {median(found) if found else ''} |")
    return lines


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
    "initialisation alone": {"init": 1.0, "order": 0.0, "dropout": 0.0},
    "two alike": {"init": 1.0, "order": 1.0, "dropout": 0.0},
    "4 : 2 : 1": {"init": 4.0, "order": 2.0, "dropout": 1.0},
}


def variance_shares(repetitions: int) -> list[str]:
    lines = [
        "| constructed variances | runs each | true share of init | mean estimate | 90 % interval holds it |",
        "|---|---|---|---|---|",
    ]
    for name, variances in CASES.items():
        truth = variances["init"] / sum(variances.values())
        for runs in (4, 8):
            luck = random.Random(5)
            found = []
            for _ in range(repetitions // 20):
                drawn = {
                    source: [luck.gauss(0, math.sqrt(one)) for _ in range(runs)] for source, one in variances.items()
                }
                found.append(shares(drawn, [0.0] * 3)["init"])
            held = fmean(one.low <= truth <= one.high for one in found)
            lines.append(f"| {name} | {runs} | {truth:.0%} | {fmean(one.share for one in found):.0%} | {held:.0%} |")
    return lines


def searches(repetitions: int) -> list[str]:
    """A planted difference among 30 keys, each trial judged by as many noisy runs as it takes."""
    lines = [
        "| distance of good and bad, in sd | found | trials (log2(30) = 4.9) | runs a trial |",
        "|---|---|---|---|",
    ]
    for distance in (5.0, 10.0, 30.0):
        luck = random.Random(6)
        results = [_search(luck, distance) for _ in range(repetitions // 10)]
        right, trials, runs = (fmean(column) for column in zip(*results, strict=True))
        lines.append(f"| {distance:g} | {right:.0%} | {trials:.1f} | {runs:.2f} |")
    return lines


def _search(luck: random.Random, distance: float) -> tuple[bool, int, float]:
    culprit, count = luck.choice(KEYS), [0]
    good, bad = [luck.gauss(distance, 1) for _ in range(3)], [luck.gauss(0, 1) for _ in range(3)]

    def test(chosen: tuple[str, ...]) -> Outcome:
        values: list[float] = []
        for _ in range(8):
            count[0] += 1
            values.append(luck.gauss(0 if culprit in chosen else distance, 1))
            odds = side(values, good, bad)
            if abs(odds) >= math.log(100):
                return "bad" if odds > 0 else "good"
        return "unclear"

    found = narrowed(KEYS, test)
    return found.culprits == (culprit,), found.trials, count[0] / max(1, found.trials)


PARTS: tuple[tuple[str, Callable[[int], list[str]]], ...] = (
    ("False winners on null pairs (promised: at most 5 %)", false_winners),
    ("Power on known effects", power),
    ("Intervals", coverage),
    ("Shares of variance", variance_shares),
    ("A planted difference among 30 keys", searches),
)


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    lines = [
        "# Statistics of the lab",
        "",
        f"`python bench/lab_statistics.py {repetitions}`. Simulated; nothing is trained.",
        "",
    ]
    for title, part in PARTS:
        lines += [f"## {title}", "", *part(repetitions), ""]
    text = "\n".join(lines)
    print(text)
    Path(__file__).with_name("results").joinpath("lab_statistics.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
