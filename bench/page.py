"""What the page of a run costs: reading the log, drawing the page, and its size.

python bench/page.py            # prints the table kept in bench/results/page.md
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from firstlight.records.report import REPORT_SCHEMA, Coverage, Report, Subject, Timing, Verdict
from firstlight.report import html
from firstlight.report.of_run import chronicle_of
from firstlight.store.run_directory import RunDirectory

REPEATS = 5
REPORT = Report(
    schema=REPORT_SCHEMA,
    subject=Subject(kind="script", command=("train.py",)),
    verdict=Verdict.CLEAN,
    findings=(),
    diagnosis=(),
    checks=(),
    coverage=Coverage(),
    timing=Timing(started="2026-01-01T00:00:00Z", seconds=1.0),
    environment={},
)


def write_log(path: Path, steps: int, copies: int, layers: int) -> None:
    """As `check` writes it: steps and backwards of the program and of its copies, layers on one step in 25."""
    encode = msgspec.json.encode
    with path.open("wb") as file:
        for step in range(steps):
            for copy in (None, *(f"copy {number}" for number in range(copies))):
                seen = {"fact": "backward", "value": 1.0 / (step + 1), "site": {"file": "train.py", "line": 40}}
                file.write(encode({"phase": "fact", "timeline": copy, "observed": seen}) + b"\n")
                line = {"phase": "step", "timeline": copy, "step": step, "loss": 1.0 / (step + 1), "lr": 1e-3}
                file.write(encode(line | {"grad_norm": 0.5, "param_norm": 4.0, "observed": {"optimizer": 0}}) + b"\n")
            if step % 25 == 0:
                rows = [{"name": f"layer{n}.weight", "norm": 0.1, "update_ratio": 1e-3} for n in range(layers)]
                file.write(encode({"phase": "gradient_stats", "step": step, "params": rows}) + b"\n")


def seconds(act: Callable[[], object]) -> float:
    taken = []
    for _ in range(REPEATS):
        begun = time.process_time()
        act()
        taken.append(time.process_time() - begun)
    return statistics.median(taken)


def main() -> None:
    print("| log | size | read, CPU ms | draw, CPU ms | page |\n|---|---|---|---|---|")
    for name, steps, copies, layers in (
        ("a check: 150 steps, 10 copies", 150, 10, 20),
        ("a guarded run: 10,000 steps, 100 layers", 10_000, 0, 100),
        ("a long one: 200,000 steps, 100 layers", 200_000, 0, 100),
    ):
        with tempfile.TemporaryDirectory() as folder:
            run = RunDirectory(Path(folder))
            write_log(run.events, steps, copies, layers)
            read = seconds(lambda run=run: chronicle_of(run))  # type: ignore[misc]
            found = chronicle_of(run)
            draw = seconds(lambda found=found: html.render(REPORT, found))  # type: ignore[misc]
            size = len(html.render(REPORT, found).encode())
            log = run.events.stat().st_size
        print(f"| {name} | {log / 1e6:.1f} MB | {1e3 * read:.0f} | {1e3 * draw:.0f} | {size / 1e3:.0f} kB |")


if __name__ == "__main__":
    main()
