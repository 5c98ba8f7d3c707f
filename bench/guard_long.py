"""Memory and log of the guard over a million steps.

    python bench/guard_long.py [--steps 1000000]

The numbers of every step are made up, as a training of 40 parameters would give them: a loss that falls with noise, gradients,
weights, batches, an evaluation now and then. Everything behind the reading of tensors is real: windows, checks, log, thinning.
Printed at each power of ten and at the end: resident memory of the process, bytes of the log, lines, microseconds a step.
"""

import argparse
import math
import random
import tempfile
import time
from pathlib import Path

import psutil
import torch
from torch import nn

import firstlight as fl
from firstlight.guard.attach import Guard
from firstlight.guard.statistics.rows import HIGH, L2, LOW, STD, UPDATE, WIDTH, Frame
from firstlight.records.telemetry import StepRow

PARAMETERS = 40
EVALUATE_EVERY = 1000


class Course:
    """What a healthy run would measure."""

    def __init__(self) -> None:
        self._draw = random.Random(0)
        self._rows = torch.zeros(2 * PARAMETERS, WIDTH)
        self._rows[:, L2] = 1.0
        self._rows[:, [STD, HIGH]] = 0.1
        self._rows[:, LOW] = -0.1
        self._rows[PARAMETERS:, UPDATE] = 1e-3

    def row(self, step: int) -> StepRow:
        draw = self._draw
        loss = 0.3 + 2.0 / (1 + step / 2000) + draw.gauss(0, 0.05)
        told = {"val_loss": loss + 0.05} if step % EVALUATE_EVERY == 0 else {}
        return StepRow(
            step=step,
            loss=loss,
            components=told,
            lr=1e-3,
            grad_norm=math.exp(draw.gauss(0, 0.2)),
            clip_norm=math.exp(draw.gauss(0, 0.2)),
            clip_at=5.0,
            param_norm=30.0,
            update=1e-3,
            step_s=0.01 + 0.001 * draw.random(),
            data_wait_s=0.001,
            samples=32,
            batch=f"{draw.getrandbits(64):x}",
        )

    def frame(self, step: int) -> Frame:
        self._rows[:PARAMETERS, L2] = self._draw.uniform(0.5, 1.5)
        return Frame(step, self._rows, (True,) * PARAMETERS)


def run(guard: Guard, first: int, last: int, course: Course) -> None:
    watch = guard.watches[0]
    for step in range(first, last):
        watch.step = step + 1
        row = course.row(step)
        guard.window.append(row)
        guard._judge_row(watch, row, course.frame(step))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=1_000_000)
    last = options.parse_args().steps
    model = nn.ParameterList(nn.Parameter(torch.zeros(2, 2)) for _ in range(PARAMETERS))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    ends = sorted({*(10**power for power in range(4, 7) if 10**power < last), last // 2, last})
    process, course, done, spent = psutil.Process(), Course(), 0, 0.0
    print("| steps | resident MB | log MB | lines | µs of CPU a step |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        with fl.guard(model, optimizer, directory=Path(folder), capture=None) as guard:
            for end in ends:
                begun = time.process_time()
                run(guard, done, end, course)
                spent, done = spent + time.process_time() - begun, end
                assert guard.events is not None
                size, lines = guard.events.stat().st_size, sum(1 for _ in guard.events.open())
                resident = process.memory_info().rss / 1e6
                print(
                    f"| {end:,} | {resident:.1f} | {size / 1e6:.1f} | {lines:,} | {spent / end * 1e6:.0f} |", flush=True
                )
        print(f"\nred flags: {len(guard.trips)}, lines lost: {guard.journal.lost}, parts broken: {guard.shield.broken}")


if __name__ == "__main__":
    main()
