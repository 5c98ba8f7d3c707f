"""Damaged input for everything that reads: how often it was judged, refused, or a fault of ours.

python bench/hostile_readers.py [--inputs 1000] [--seed 0] [--only NAME]

Writes bench/results/reliability-readers.json, one part of docs/reliability.md; with --only, that row of it.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["FIRSTLIGHT_DEBUG"] = "1"

from tests.fuzz.readers import READERS, Reader, once  # noqa: E402 (found by the path above)

RESULT = ROOT / "bench" / "results" / "reliability-readers.json"
SOUND = (0, 1, 2)


def counted(reader: Reader, inputs: int, seed: int) -> dict[str, object]:
    codes: Counter[object] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + inputs):
            try:
                codes[once(reader, number, Path(folder) / "input")] += 1
            except Exception as fault:  # noqa: BLE001 (what is raised is what is counted)
                codes[type(fault).__name__] += 1
                print(f"{reader.name}: input {number}: {type(fault).__name__}: {fault}", file=sys.stderr)
    note = ", ".join(f"exit {code}: {count}" for code, count in sorted(codes.items(), key=str))
    held = sum(count for code, count in codes.items() if code in SOUND)
    print(f"{reader.name}: {note}", flush=True)
    return {"what": reader.name, "tried": inputs, "held": held, "note": note}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--inputs", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only")
    chosen = options.parse_args()
    earlier = json.loads(RESULT.read_text(encoding="utf-8"))["rows"] if chosen.only else []
    known = {row["what"]: row for row in earlier}
    for reader in READERS:
        if chosen.only in (None, reader.name):
            known[reader.name] = counted(reader, chosen.inputs, chosen.seed)
    rows = list(known.values())
    tried, held = sum(int(str(row["tried"])) for row in rows), sum(int(str(row["held"])) for row in rows)
    part = {
        "part": "readers",
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "floor": "does not matter: nothing is run",
        "tried": tried,
        "lost": tried - held,
        "rows": rows,
    }
    RESULT.write_text(json.dumps(part, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
