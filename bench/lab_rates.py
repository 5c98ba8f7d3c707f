"""`lr-find` against the best of a fine grid, beside Lightning's and fastai's finders, on programs of the zoo.

    python bench/lab_rates.py [PROGRAM ...] [--grid-steps 1000] [--output bench/results/lab-rates.md]

For each program: the suggestion of `firstlight lr-find` as a user gets it; a grid of trainings at held rates, a quarter
of a decade apart and longer than those of `lr-find`, whose lowest last loss is the best rate; and ramps as the two
other finders make them, read by the rules they publish. A suggestion is right within a factor of 3 of the best rate,
or where its training ends within 5 % of what the best one gained.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.experiments.plan import Order
from firstlight.lab.copies import Known, Trial, Workbench
from firstlight.lab.journal import LabJournal
from firstlight.lab.keeping import kept
from firstlight.lab.ladder import Ladder, ladder
from firstlight.lab.ramps import smoothed
from firstlight.observe import target as targets
from firstlight.observe.watch import Eyes
from firstlight.settings import load

ZOO = Path(__file__).parents[1] / "zoo" / "programs"
PROGRAMS = (
    "digits-cnn",
    "housing-regression",
    "gcn-communities",
    "mingpt-sorter",
    "lstm-seasonal",
    "realnvp-density",
    "pinn-heat-equation",
    "clip-two-tower-scenes",
    "lightning-digits",
    "waveform-denoiser",
)
"""Of all kinds: vision, tabular, graphs, language, series, density, physics, contrastive, a framework, audio."""
DECADES, PER_DECADE = (-6, 1), 4
FACTOR = 3.0
LIGHTNING = "lr-ramp=1e-8:1:100"
"""As `Tuner.lr_find` of Lightning 2 does by default: 100 steps from 1e-8 to 1."""
FASTAI = "lr-ramp=1e-7:10:100"
"""As `Learner.lr_find` of fastai 2 does by default: 100 steps from 1e-7 to 10."""
BETA = 0.98
"""Weight of the past in the losses that both read."""


@dataclass(frozen=True)
class Row:
    program: str
    best: float
    grid: Ladder
    found: dict[str, float | None]

    def factor(self, finder: str) -> float | None:
        rate = self.found[finder]
        return None if rate is None else max(rate, self.best) / min(rate, self.best)

    def is_right(self, finder: str) -> bool:
        rate, factor = self.found[finder], self.factor(finder)
        if rate is None or factor is None:
            return False
        nearest = min(self.grid.rungs, key=lambda rung: abs(math.log(rung.rate / rate)))
        return factor <= FACTOR or self.grid.as_good(nearest)


def lightning(rates: Sequence[float], losses: Sequence[float]) -> float | None:
    """`_LRFinder.suggestion` (lightning/pytorch/tuner/lr_finder.py): the steepest point, without 10 and the last."""
    kept_ = smoothed(losses, BETA)[10:-1]
    if len(kept_) < 2 or not all(map(math.isfinite, kept_)):
        return None
    slopes = [_central(kept_, place) for place in range(len(kept_))]
    return rates[10 + min(range(len(slopes)), key=slopes.__getitem__)]


def _central(values: Sequence[float], place: int) -> float:
    """As `torch.gradient`: one-sided at the ends."""
    before, after = max(0, place - 1), min(len(values) - 1, place + 1)
    return (values[after] - values[before]) / (after - before)


def fastai(rates: Sequence[float], losses: Sequence[float]) -> float | None:
    """`valley` (fastai/callback/schedule.py), line by line, its start included."""
    smooth = [loss for loss in smoothed(losses, BETA) if math.isfinite(loss)]
    start, end = 0, 0
    longest = [1] * len(smooth)
    for i in range(1, len(smooth)):
        for j in range(i):
            if smooth[i] < smooth[j] and longest[i] < longest[j] + 1:
                longest[i] = longest[j] + 1
            if longest[end] < longest[i]:
                end = i
                start = end - longest[end]
    sections = (end - start) / 3
    return rates[start + int(sections) + int(sections / 2)] if smooth else None


def grid_of(bench: Workbench) -> tuple[Ladder, dict[str, float | None]]:
    """The grid, and what the other two finders suggest."""
    low, high = DECADES
    rates = [10 ** (low + place / PER_DECADE) for place in range((high - low) * PER_DECADE + 1)]

    def plan(known: Known) -> list[Order]:
        seconds = max(10.0, 4 * known.program.seconds)
        steps = len(known.program.losses)
        ramps = [
            Order(name=name, interventions=(word,), steps=100, seconds=seconds)
            for name, word in (("lightning", LIGHTNING), ("fastai", FASTAI))
        ]
        held = [
            Order(name=f"{rate:.6g}", interventions=(f"lr-held={rate:.6g}",), steps=steps, seconds=seconds)
            for rate in rates
        ]
        return [*ramps, *held]

    trials = bench.asked(plan).known.trials
    others = {name: rule(*_points(trials[name])) for name, rule in (("lightning", lightning), ("fastai", fastai))}
    tried = {float(name): trial.losses for name, trial in trials.items() if name not in others and trial.losses}
    return ladder(tried), others


def _points(trial: Trial) -> tuple[tuple[float, ...], tuple[float, ...]]:
    count = min(len(trial.rates), len(trial.losses))
    return trial.rates[:count], trial.losses[:count]


def measured(program: str, grid_steps: int) -> Row:
    words = tuple(tomllib.loads((ZOO / program / "program.toml").read_text())["command"])
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        shutil.copytree(ZOO / program, folder, dirs_exist_ok=True)
        os.chdir(folder)
        try:
            suggested = _suggested(words)
            module = words[0] == "-m"
            target = targets.parse(words[1:] if module else words, module, "lr-find")
            settings = load(Path.cwd(), steps=grid_steps, seconds=120.0)
            with kept(target.words) as where:
                journal = LabJournal(where.run.path / "grid.ndjson")
                eyes = Eyes(lambda _: None, None, 120.0)
                grid, others = grid_of(Workbench(target, settings, eyes, where.run, journal, grid_steps))
        finally:
            os.chdir(here)
    best = grid.best
    assert best is not None, f"no rate of the grid gives {program} a finite loss"
    return Row(program, best.rate, grid, {"firstlight": suggested, **others})


def _suggested(words: tuple[str, ...]) -> float | None:
    command = (sys.executable, "-m", "firstlight", "lr-find", "--format", "json", *words)
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: float | None = json.loads(told)["suggested"]
    return found


def table(rows: Sequence[Row]) -> str:
    finders = list(rows[0].found)
    lines = [
        "| program | best of the grid | as good | " + " | ".join(finders) + " |",
        "|---" * (3 + len(finders)) + "|",
    ]
    for row in rows:
        low, high = row.grid.range() or (row.best, row.best)
        cells = [_cell(row, finder) for finder in finders]
        lines.append(f"| {row.program} | {row.best:.2g} | {low:.2g} to {high:.2g} | {' | '.join(cells)} |")
    right = [f"{sum(row.is_right(finder) for row in rows)} of {len(rows)}" for finder in finders]
    return "\n".join([*lines, f"| right | | | {' | '.join(right)} |"]) + "\n"


def _cell(row: Row, finder: str) -> str:
    rate, factor = row.found[finder], row.factor(finder)
    return "none" if rate is None else f"{rate:.2g} (×{factor:.1f}{'' if row.is_right(finder) else ', wrong'})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--grid-steps", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows = []
    for program in options.programs:
        rows.append(measured(program, options.grid_steps))
        print(table(rows[-1:]).splitlines()[2], flush=True)
    print(table(rows))
    if options.output is not None:
        options.output.write_text(f"# `lr-find` against a grid\n\n{table(rows)}", encoding="utf-8")


if __name__ == "__main__":
    main()
