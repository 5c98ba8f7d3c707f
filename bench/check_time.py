"""How long `firstlight check` takes on small scripts, torch's import included, beside the script alone.

python bench/check_time.py [--profile standard] [--scripts 12] [SCRIPT ...]

Without scripts, as many examples as asked for, evenly among all that train. CPU seconds count the copies of a program
too (on Linux). Each script and its check run one after the other, so that both meet the same load.
"""

import argparse
import ctypes
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
BE_GIVEN_ORPHANS = 36
"""prctl's PR_SET_CHILD_SUBREAPER: the copies outlive the script, and are waited for here."""


@dataclass(frozen=True)
class Took:
    wall: float
    cpu: float


def took(command: list[str], folder: str) -> Took:
    before, begun = _cpu(), time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    wall = time.perf_counter() - begun
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return Took(wall, _cpu() - before)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(script: Path, profile: str) -> tuple[Took, Took]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(script, Path(folder) / "train.py")
        plain = took([sys.executable, "train.py"], folder)
        check = [sys.executable, "-m", "firstlight", "check", "--profile", profile, "--format", "json", "train.py"]
        return plain, took(check, folder)


def chosen(count: int) -> list[Path]:
    trains = [path for path in sorted(EXAMPLES.glob("*/healthy.py")) if "\nimport torch" in path.read_text("utf-8")]
    loops = [path for path in trains if ".backward()" in path.read_text("utf-8")]
    return loops[:: max(1, len(loops) // count)][:count]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--profile", default="standard")
    options.add_argument("--scripts", type=int, default=12)
    options.add_argument("script", nargs="*", type=Path)
    given = options.parse_args()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(BE_GIVEN_ORPHANS, 1)
    rows = []
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}, Python {platform.python_version()}"
    )
    print(f"{'':32} {'script':>14} {'check':>16}\n{'':32} {'wall s':>7} {'CPU s':>6} {'wall s':>9} {'CPU s':>6}")
    for path in given.script or chosen(given.scripts):
        plain, check = measured(path, given.profile)
        rows.append((plain.wall, plain.cpu, check.wall, check.cpu))
        _tell(f"{path.parent.name}/{path.stem}"[:32], rows[-1])
    _tell("median", [statistics.median(column) for column in zip(*rows, strict=True)])
    _tell("longest", [max(column) for column in zip(*rows, strict=True)])


def _tell(name: str, row: "tuple[float, ...] | list[float]") -> None:
    print(f"{name:32} {row[0]:7.2f} {row[1]:6.2f} {row[2]:9.2f} {row[3]:6.2f}", flush=True)


if __name__ == "__main__":
    main()
