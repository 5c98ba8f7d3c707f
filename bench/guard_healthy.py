"""False alarms of the guard: healthy programs run to their end by `firstlight run --no-check`.

    python bench/guard_healthy.py FOLDER... [--only h03,h06] [--healthy] [--faulty] [--rows FILE]

A FOLDER holds `<case>/train.py`, with `case.json` saying `"kind": "healthy"` where nothing is wrong, and `fixed.py` beside the
faulty ones: those run as well, unless `--healthy` is given. Nothing in a program is changed. `--faulty` runs the faulty programs
instead, to see what a guard alone would notice. Printed is a table; for a healthy program there must be no red flag in it. With
`--rows` each result is appended to a file of JSON lines, and what is in it is not run again.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LIMIT_S = 600
Row = dict[str, Any]


def prepare(case: Path, program: str, folder: Path) -> list[str]:
    """The program and what lies beside it, in a folder of its own; and the words that start it."""
    for file in case.iterdir():
        if file.name not in ("case.json", "train.py", "fixed.py"):
            (shutil.copytree if file.is_dir() else shutil.copy)(file, folder / file.name)
    shutil.copy(case / program, folder / "train.py")
    words = shlex.split(json.loads((case / "case.json").read_text()).get("command", "train.py"))
    return ["--", *words] if words[0] == "torchrun" else words[1:] if words[0] == "python" else words


def run(case: Path, program: str) -> Row:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = prepare(case, program, folder)
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "firstlight", "run", "--no-check", *words],
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr").open("w"),
        )
        try:
            code, note = process.wait(LIMIT_S), ""
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            code, note = process.wait(), f"ended after {LIMIT_S} s"
        seconds = time.perf_counter() - begun
        return {"case": case.name, "program": program, "seconds": round(seconds, 1), **told(folder, code, note)}


def told(folder: Path, code: int, note: str) -> Row:
    reports = list(folder.glob(".firstlight/runs/*/report.json"))
    if not reports:
        said = (folder / "stderr").read_text()[-300:]
        return {"steps": 0, "flags": [], "notes": [], "note": f"no report; exit {code}: {said}"}
    report = json.loads(reports[0].read_text())
    flags = [
        f"{finding['severity']} {finding['id']} {finding['name']} at {finding['where'].get('step')}: {finding['saw']}"
        for finding in report["findings"]
        if finding["severity"] != "note"
    ]
    crashed = [f"{each['id']} crashed: {each['reason']}" for each in report["checks"] if each["status"] == "crashed"]
    noted = [finding["name"] for finding in report["findings"] if finding["severity"] == "note"]
    note = note or (f"exit {code}" if code and not flags else "")
    return {"steps": report["coverage"]["steps"], "flags": flags + crashed, "notes": noted, "note": note}


def cases(chosen: argparse.Namespace) -> Iterator[tuple[Path, str]]:
    wanted = tuple(word for word in chosen.only.split(",") if word)
    for case in sorted(each for folder in chosen.folders for each in folder.iterdir()):
        if not (case / "train.py").is_file() or not case.name.startswith(wanted or ("",)):
            continue
        healthy = json.loads((case / "case.json").read_text()).get("kind") == "healthy"
        if healthy != chosen.faulty:
            yield case, "train.py"
        elif not healthy and not chosen.healthy:
            yield case, "fixed.py"


def table(rows: list[Row]) -> str:
    lines = [
        f"| {row['case']} ({row['program']}) | {row['steps']} | {row['seconds'] / 60:.1f} | "
        f"{'; '.join(row['flags']) or 'none'} | {'; '.join((*row['notes'], row['note'])).strip('; ')} |"
        for row in rows
    ]
    flagged, steps = sum(bool(row["flags"]) for row in rows), sum(row["steps"] for row in rows)
    head = "| program | steps | minutes | red flags | notes |\n|---|---|---|---|---|\n"
    return head + "\n".join(lines) + f"\n\n{flagged} of {len(rows)} programs with a red flag, in {steps:,} steps.\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", type=Path, nargs="+")
    options.add_argument("--only", default="")
    options.add_argument("--healthy", action="store_true")
    options.add_argument("--faulty", action="store_true")
    options.add_argument("--rows", type=Path, default=Path(os.devnull))
    chosen = options.parse_args()
    rows: list[Row] = (
        [json.loads(line) for line in chosen.rows.read_text().splitlines()] if chosen.rows.exists() else []
    )
    done = {(row["case"], row["program"]) for row in rows}
    for case, program in cases(chosen):
        if (case.name, program) not in done:
            rows.append(run(case, program))
            with chosen.rows.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
