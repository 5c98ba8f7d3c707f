"""How fast `firstlight lint` is, beside torch-preflight, TorchFix and flake8, on one tree of sources.

    python bench/lint.py TREE [--peers FOLDER] [--runs 3]

FOLDER is the `bin` of an environment that has the peers installed; those that are missing are left out. Each tool runs
as a user would run it, one after the other, in an alternating order; the best of the runs counts.
"""

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUFFIXES = (".py", ".ipynb")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    files = sum(path.suffix in SUFFIXES for path in options.tree.rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(options.tree, tree)
        best: dict[str, tuple[float, float]] = {}
        for turn in range(options.runs):
            commands = list(tools(options.peers).items())
            for name, command in commands if turn % 2 == 0 else reversed(commands):
                if name == "firstlight, nothing cached":
                    shutil.rmtree(tree / ".firstlight", ignore_errors=True)
                elif name == "firstlight, cached":
                    measured(command, tree)
                seconds = measured(command, tree)
                best[name] = min(best.get(name, seconds), seconds)
    report(best, files)


def tools(peers: Path | None) -> dict[str, list[str]]:
    own = [sys.executable, "-m", "firstlight", "lint", "--format", "json", "--output", os.devnull, "."]
    found = {
        "firstlight, nothing cached": own,
        "firstlight, cached": own,
        "firstlight, one process, no cache": [*own, "--jobs", "1", "--no-cache"],
    }
    for name, words in {
        "torch-preflight": ["torch-preflight", "check", "-q", "."],
        "TorchFix": ["torchfix", "--select=ALL", "."],
        "flake8 (alone)": ["flake8", "--isolated", "--exit-zero", "--quiet", "."],
    }.items():
        if peers is not None and (peers / words[0]).exists():
            found[name] = [str(peers / words[0]), *words[1:]]
    return found


def measured(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds on the clock and of processor time, children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    clock = time.perf_counter() - begun
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(best: dict[str, tuple[float, float]], files: int) -> None:
    base = best.get("TorchFix")
    print(f"{files} files; Python {platform.python_version()}, {os.cpu_count()} cores, {cpu()}\n")
    print("| tool | seconds | processor seconds | files a second | times TorchFix |")
    print("|---|---|---|---|---|")
    for name, (clock, busy) in sorted(best.items(), key=lambda item: item[1][0]):
        times = f"{base[0] / clock:.1f}" if base else ""
        print(f"| {name} | {clock:.2f} | {busy:.2f} | {files / clock:.0f} | {times} |")


def cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    main()
