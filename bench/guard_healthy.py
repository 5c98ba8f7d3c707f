"""False alarms of the guard: healthy programs run to their end with it attached from outside.

    python bench/guard_healthy.py FOLDER [--only h03,h06] [--jobs 1] [--faulty]

FOLDER holds `<case>/train.py`, with `case.json` saying `"kind": "healthy"` where nothing is wrong, and `fixed.py` beside the
faulty ones: those run as well. Nothing in a program is changed. `--faulty` runs the faulty programs instead, to see what a guard
alone would notice. Every red flag is printed; for a healthy program there must be none.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S = 600
ATTACH = """
import atexit, json, runpy, sys
import torch
from firstlight.guard.inside import install
from firstlight.guard.options import Options
inside = install(Options())
def tell():
    inside.remove()
    guard = inside.guard
    flags = [f"{t.finding.id} {t.finding.name} @ {t.step}: {t.finding.saw}" for t in guard.trips]
    print("\\nGUARD " + json.dumps({"steps": guard.step, "flags": flags, "broken": guard.shield.broken, "crashed": guard.judge.crashed}), flush=True)
atexit.register(tell)
sys.argv = ["train.py"]; sys.path.insert(0, "")
runpy.run_path("train.py", run_name="__main__")
"""


def run(case: Path, program: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        for file in case.iterdir():
            if file.suffix != ".json" and file.name not in ("train.py", "fixed.py"):
                (shutil.copytree if file.is_dir() else shutil.copy)(file, Path(folder) / file.name)
        shutil.copy(case / program, Path(folder) / "train.py")
        begun = time.perf_counter()
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                [sys.executable, "-c", ATTACH],
                check=False,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return {"steps": 0, "flags": [], "note": f"over {LIMIT_S} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("GUARD ")]
    told: dict[str, object] = json.loads(lines[-1].removeprefix("GUARD ")) if lines else {"steps": 0, "flags": []}
    note = "" if done.returncode == 0 else f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    return {**told, "seconds": time.perf_counter() - begun, "note": note}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--only", default="")
    options.add_argument("--faulty", action="store_true")
    chosen = options.parse_args()
    wanted = tuple(word for word in chosen.only.split(",") if word)
    flagged = programs = 0
    for case in sorted(chosen.folder.iterdir()):
        if not (case / "train.py").is_file() or (wanted and not case.name.startswith(wanted)):
            continue
        healthy = json.loads((case / "case.json").read_text()).get("kind") == "healthy"
        if healthy and chosen.faulty:
            continue
        found = run(case, "train.py" if healthy or chosen.faulty else "fixed.py")
        programs += 1
        flagged += bool(found["flags"])
        print(
            f"{case.name:28} {found['steps']:>6} steps {found.get('seconds', 0):6.1f} s  {found['note'] or 'ok'}",
            flush=True,
        )
        for flag in (
            *found["flags"],
            *dict(found.get("broken") or {}).items(),
            *dict(found.get("crashed") or {}).items(),
        ):  # type: ignore[misc]
            print(f"    {flag}")
    print(f"{flagged} of {programs} programs with a red flag")


if __name__ == "__main__":
    main()
