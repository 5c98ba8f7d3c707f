"""`lr-find` against the best of a fine grid, beside Lightning's and fastai's finders, on programs of the zoo.

    python bench/lab_rates.py [PROGRAM ...] [--grid-steps 450] [--ask-again]

For each program: the suggestion of `firstlight lr-find` as a user gets it; a grid of trainings at held rates, a quarter
of a decade apart and longer than those of `lr-find`, whose lowest last loss is the best rate; and ramps as the two
other finders make them, read by the rules they publish. A suggestion is right within a factor of 3 of the best rate,
or where its training ends within 5 % of what the best one gained.

What is done is kept in `bench/results/lab_rates.json`, program by program, and within a program copy by copy, so that an
interrupted bench goes on where it stood. `--ask-again` asks `lr-find` anew and keeps the grids.
"""

import argparse
import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from firstlight.experiments.plan import Order
from firstlight.lab.copies import Known, Trial, Workbench
from firstlight.lab.journal import LabJournal
from firstlight.lab.keeping import kept
from firstlight.lab.ladder import Ladder
from firstlight.lab.ramps import smoothed
from firstlight.lab.rate_search import ladder_of
from firstlight.observe import target as targets
from firstlight.observe.watch import Eyes
from firstlight.settings import load

ROOT = Path(__file__).resolve().parents[1]
ZOO = ROOT / "zoo" / "programs"
RESULTS = ROOT / "bench" / "results" / "lab_rates.json"
COPIES = Path(tempfile.gettempdir()) / "firstlight-lab-rates"
"""Copies of grids that are not whole yet."""
PROGRAMS = {
    "digits-cnn": "vision",
    "embedding-tabular": "tables",
    "gcn-communities": "graphs",
    "bow-review-sentiment": "text",
    "char-gru-stories": "language model",
    "autoencoder-anomaly": "time series",
    "mdn-inverse-sine": "density",
    "triplet-identity-retrieval": "contrastive",
    "lightning-digits": "framework",
    "waveform-denoiser": "audio",
}
"""Of ten kinds, and quick: all of the half of the zoo that may be looked at."""
DECADES, PER_DECADE = (-4.0, 0.5), 4
LOWEST, HIGHEST = -7.0, 1.5
"""Decades to which a grid grows at most, where its best is at an end."""
FACTOR = 3.0
SECONDS = 120.0
RAMP_STEPS = 100
RAMPS = {"Lightning": f"lr-ramp=1e-8:1:{RAMP_STEPS}", "fastai": f"lr-ramp=1e-7:10:{RAMP_STEPS}"}
"""As `Tuner.lr_find` of Lightning 2 and `Learner.lr_find` of fastai 2 do by default."""
BETA = 0.98
"""Weight of the past in the losses that both read."""


def lightning(rates: Sequence[float], losses: Sequence[float]) -> float | None:
    """The steepest point over the rate, without the first ten and the last.

    `_LRFinder.suggestion`, lightning/pytorch/tuner/lr_finder.py of Lightning 2.6.
    """
    points = list(zip(rates, smoothed(losses, BETA), strict=True))[10:-1]
    finite = [(rate, loss) for rate, loss in points if math.isfinite(loss)]
    if len(finite) < 2:
        return None
    along, heights = (torch.tensor(column, dtype=torch.float64) for column in zip(*finite, strict=True))
    slopes = torch.gradient(heights, spacing=(along,))[0]
    return finite[int(slopes.argmin())][0]


def fastai(rates: Sequence[float], losses: Sequence[float]) -> float | None:
    """`valley` of fastai/callback/schedule.py (fastai 2.8), its start included, and what `lr_find` leaves out before."""
    points = list(zip(rates, smoothed(losses, BETA), strict=True))[RAMP_STEPS // 10 : -5]
    gone = next((place for place, (_, loss) in enumerate(points) if math.isnan(loss)), len(points))
    smooth = [loss for _, loss in points[:gone]]
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
    return points[start + int(sections) + int(sections / 2)][0] if smooth else None


RULES = {"Lightning": lightning, "fastai": fastai}


def grid_of(bench: Workbench) -> tuple[Ladder, dict[str, float | None]]:
    """The grid, and what the other two finders suggest."""

    def plan(known: Known) -> list[Order]:
        steps = len(known.program.losses)
        ramps = [
            Order(name=name, interventions=(word,), steps=RAMP_STEPS, seconds=SECONDS) for name, word in RAMPS.items()
        ]
        held = [
            Order(name=f"{rate:.6g}", interventions=(f"lr-held={rate:.6g}",), steps=steps, seconds=SECONDS)
            for rate in _rates(_grid(known.trials))
        ]
        return [*ramps, *held]

    copies = bench.asked(plan)
    if copies.left:
        raise KeyboardInterrupt
    trials = copies.known.trials
    return _grid(trials), {name: rule(*_points(trials[name])) for name, rule in RULES.items()}


def _rates(grid: Ladder) -> list[float]:
    """A decade more at an end at which the best of those known stands."""
    low, high = DECADES
    best = math.log10(grid.best.rate) if grid.best is not None else None
    while best is not None and best < low + 0.5 / PER_DECADE and low > LOWEST:
        low -= 1
    while best is not None and best > high - 0.5 / PER_DECADE and high < HIGHEST:
        high += 1
    return [10 ** (low + place / PER_DECADE) for place in range(round((high - low) * PER_DECADE) + 1)]


def _grid(trials: Mapping[str, Trial]) -> Ladder:
    return ladder_of({float(name): one for name, one in trials.items() if name not in RULES and one.losses})


def _points(trial: Trial) -> tuple[tuple[float, ...], tuple[float, ...]]:
    count = min(len(trial.rates), len(trial.losses))
    return trial.rates[:count], trial.losses[:count]


@contextlib.contextmanager
def unpacked(program: str) -> Iterator[tuple[str, ...]]:
    """The words of its command, to be run where the program lies."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        shutil.copytree(ZOO / program, folder, dirs_exist_ok=True)
        os.chdir(folder)
        try:
            yield tuple(tomllib.loads((ZOO / program / "program.toml").read_text())["command"])
        finally:
            os.chdir(here)


def gridded(program: str, grid_steps: int) -> dict[str, Any]:
    """Every rate of the grid with its last loss and whether that is as good as the best, and the other finders."""
    with unpacked(program) as words:
        module = words[0] == "-m"
        target = targets.parse(words[1:] if module else words, module, "lr-find")
        settings = load(Path.cwd(), steps=grid_steps, seconds=SECONDS)
        with kept(target.words) as where:
            journal = LabJournal(COPIES / f"{program}-{grid_steps}.ndjson")
            eyes = Eyes(lambda _: None, None, SECONDS)
            grid, others = grid_of(Workbench(target, settings, eyes, where.run, journal, grid_steps))
    assert grid.best is not None, f"no rate of the grid gives {program} a finite loss"
    journal.clear()
    rungs = [(rung.rate, rung.end if math.isfinite(rung.end) else None, grid.as_good(rung)) for rung in grid.rungs]
    return {"steps": len(grid.best.losses), "best": grid.best.rate, "grid": rungs, "found": others}


def asked(program: str) -> dict[str, Any]:
    """What `firstlight lr-find` says, as a user asks it."""
    with unpacked(program) as words:
        command = (sys.executable, "-m", "firstlight", "lr-find", "--format", "json", *words)
        told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {key: told[key] for key in ("suggested", "low", "high", "seconds", "answer")}


def is_right(row: Mapping[str, Any], rate: float | None) -> bool:
    if rate is None:
        return False
    nearest = min(row["grid"], key=lambda rung: abs(math.log(rung[0] / rate)))
    return _factor(row, rate) <= FACTOR or nearest[2]


def _factor(row: Mapping[str, Any], rate: float) -> float:
    return float(max(rate, row["best"]) / min(rate, row["best"]))


def _found(row: Mapping[str, Any]) -> dict[str, float | None]:
    return {"firstlight": row["asked"]["suggested"], **row["found"]}


def section(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    finders = ["firstlight", *RULES]
    lines = [
        "| program | kind | steps | best of the grid | as good | " + " | ".join(finders) + " | seconds |",
        "|---" * (6 + len(finders)) + "|",
    ]
    for program, row in rows.items():
        good = [rate for rate, _, as_good in row["grid"] if as_good]
        cells = [_cell(row, rate) for rate in _found(row).values()]
        lines.append(
            f"| {program} | {PROGRAMS.get(program, '')} | {row['steps']} | {row['best']:.2g} | "
            f"{min(good):.2g} to {max(good):.2g} | {' | '.join(cells)} | {row['asked']['seconds']:.0f} |"
        )
    within = [_counted(rows, finder, lambda row, rate: _factor(row, rate) <= FACTOR) for finder in finders]
    right = [_counted(rows, finder, is_right) for finder in finders]
    lines.append(f"| within a factor of {FACTOR:g} | | | | | {' | '.join(within)} | |")
    lines.append(f"| that, or as good a loss | | | | | {' | '.join(right)} | |")
    return lines


def _counted(rows: Mapping[str, Mapping[str, Any]], finder: str, holds: Any) -> str:
    rates = [(row, _found(row)[finder]) for row in rows.values()]
    return f"{sum(rate is not None and holds(row, rate) for row, rate in rates)} of {len(rates)}"


def _cell(row: Mapping[str, Any], rate: float | None) -> str:
    if rate is None:
        return "none"
    return f"{rate:.2g} (×{_factor(row, rate):.1f}{'' if is_right(row, rate) else ', wrong'})"


def known_rows() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return {program: found[program] for program in PROGRAMS if program in found}


def measured(programs: Sequence[str], grid_steps: int, ask_again: bool = False) -> dict[str, Any]:
    """Every program that is not known yet, kept one by one."""
    for program in programs:
        rows = known_rows()
        row = rows.get(program)
        if row is None:
            row = _kept(program, gridded(program, grid_steps))
        if ask_again or "asked" not in row:
            row = _kept(program, {**row, "asked": asked(program)})
        print(section({program: row})[2], flush=True)
    return {program: row for program, row in known_rows().items() if "asked" in row}


def _kept(program: str, row: dict[str, Any]) -> dict[str, Any]:
    RESULTS.write_text(json.dumps({**known_rows(), program: row}, indent=1) + "\n", encoding="utf-8")
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--grid-steps", type=int, default=450)
    parser.add_argument("--ask-again", action="store_true")
    options = parser.parse_args()
    print("\n".join(section(measured(options.programs, options.grid_steps, options.ask_again))))


if __name__ == "__main__":
    main()
