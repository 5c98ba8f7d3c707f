"""How long the commands that need no torch take to start, above the bare interpreter.

python bench/startup.py [--rounds 20]
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "firstlight --help": ["-m", "firstlight", "--help"],
    "firstlight explain FL203": ["-m", "firstlight", "explain", "FL203"],
    "firstlight checks": ["-m", "firstlight", "checks"],
    "firstlight schema report": ["-m", "firstlight", "schema", "report"],
    "python -c 'import torch'": ["-c", "import torch"],
}


def once(arguments: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, arguments in COMMANDS.items():
            times[name].append(once(arguments))
    bare = statistics.median(times["python -c pass"])
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'command':28} {'median s':>9} {'best s':>8} {'above bare s':>13}")
    for name, found in times.items():
        median = statistics.median(found)
        print(f"{name:28} {median:9.3f} {min(found):8.3f} {median - bare:13.3f}")


if __name__ == "__main__":
    main()
