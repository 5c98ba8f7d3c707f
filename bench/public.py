"""Public training programs that nobody of this project wrote, unchanged, on data made here: quiet, or right?

python bench/public.py --mirrors DIR --packages DIR                # all of them; writes bench/results/public.md
python bench/public.py --mirrors DIR --packages DIR --only gan     # those with the word in their name; other rows stay
python bench/public.py --mirrors DIR --packages DIR --faults       # with a fault planted in each: what is told of it?

DIR of --mirrors has a clone of each repository as owner+name/repo, bare or not. --packages is a folder for PYTHONPATH with
what the programs need beside torch: pip install --target DIR gymnasium matplotlib torchvision unidecode six einops einx.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from public_faults import FAULTS, Fault
from public_programs import COMMITS, HELD, PROGRAMS, Program

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results" / "public.md"
MEASURED = ROOT / "bench" / "results" / "public.json"


@dataclass(frozen=True)
class Places:
    mirrors: Path
    packages: Path


def copied(program: Program, mirrors: Path, into: Path) -> Path:
    """The program's Python files at its commit, with its data beside: the folder it is run in."""
    store = mirrors / program.repository.replace("/", "+") / "repo"
    git = ["git", f"--git-dir={store / '.git' if (store / '.git').is_dir() else store}"]
    commit = COMMITS[program.repository]
    where = [program.folder] if program.folder else []
    listed = subprocess.run([*git, "ls-tree", "-rz", "--name-only", commit, *where], capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if name.endswith((".py", ".gitignore")):  # the latter keep folders that are written to
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(subprocess.run([*git, "show", f"{commit}:{name}"], capture_output=True, check=True).stdout)
    here = into / program.folder
    program.make(here)
    return here


def measured(program: Program, places: Places, verbs: tuple[str, ...], fault: Fault | None = None) -> dict[str, Any]:
    """What is said of it, and what is left in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve() / "copy"
        here = copied(program, places.mirrors, top)
        if fault is not None:
            source = (top / fault.file).read_text(encoding="utf-8")
            assert fault.old in source, (fault.file, fault.old)
            (top / fault.file).write_text(source.replace(fault.old, fault.new), encoding="utf-8")
        before = _files(here)
        made: dict[str, Any] = {verb: asked(verb, program, here, places.packages) for verb in verbs}
        return {**made, "command": program.command, "left": sorted(_files(here) - before)}


def _files(folder: Path) -> set[str]:
    """But for what firstlight keeps of its runs, and what Python keeps of modules."""
    every = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {str(path) for path in every if not {".firstlight", "__pycache__"} & set(path.parts)}


def asked(verb: str, program: Program, here: Path, packages: Path) -> dict[str, Any]:
    words = [sys.executable, "-m", "firstlight", verb, "--format", "json", *program.command.split()]
    paths = os.pathsep.join((str(packages), str(here)))
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    begun = time.monotonic()
    done = subprocess.run(words, cwd=here, env=environment, capture_output=True, text=True, check=False)
    seconds = round(time.monotonic() - begun)
    if not done.stdout:
        return {
            "verdict": "no report",
            "reason": done.stderr[-400:],
            "seconds": seconds,
            "learns": None,
            "rehearsal": None,
            "findings": [],
        }
    report = json.loads(done.stdout)
    keep = ("id", "name", "severity", "confidence", "cause", "saw")
    return {
        "verdict": report["verdict"],
        "reason": report.get("reason"),
        "seconds": seconds,
        "learns": (report["assurance"].get("learns") or {}).get("status"),
        "rehearsal": report["assurance"].get("rehearsal"),
        "findings": [{**{key: one[key] for key in keep}, "line": one["where"]["line"]} for one in report["findings"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirrors", type=Path, required=True, help="Folder of clones, each as owner+name/repo.")
    parser.add_argument("--packages", type=Path, required=True, help="Folder with what the programs import.")
    parser.add_argument("--only", default="", help="Programs with this in their names.")
    parser.add_argument(
        "--verbs", nargs="*", default=["check", "rehearse"], help="A check rehearses too, for less long."
    )
    parser.add_argument("--faults", action="store_true", help="Plant the faults, and check those programs.")
    wanted = parser.parse_args()
    places = Places(wanted.mirrors.resolve(), wanted.packages.resolve())
    programs = {program.name: program for program in PROGRAMS if wanted.only in program.name}
    known = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    cases: list[tuple[str, Fault | None]] = [(name, None) for name in programs]
    if wanted.faults:
        cases = [(fault.program, fault) for fault in FAULTS if fault.program in programs]
    for name, fault in cases:
        key = name if fault is None else f"{name}: {fault.words}"
        verbs = ("check",) if wanted.faults else tuple(wanted.verbs)
        known[key] = {**known.get(key, {}), **measured(programs[name], places, verbs, fault)}
        print(key, json.dumps(known[key]), flush=True)
        MEASURED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        RESULTS.write_text(_page(known), encoding="utf-8")


def _page(known: dict[str, Any]) -> str:
    """The measured programs in the order of the table."""
    rows = [(program, known[program.name]) for program in PROGRAMS if program.name in known]
    ends = [_rehearsal(made).get("reached_end") for _, made in rows]
    faults = [
        (fault, known[f"{fault.program}: {fault.words}"])
        for fault in FAULTS
        if f"{fault.program}: {fault.words}" in known
    ]
    return "\n".join(
        [
            "# Public programs",
            "",
            "Written by `bench/public.py`: training programs of public repositories at the commits in",
            "`bench/public_programs.py`, their code unchanged, with arguments that make them small, on data that",
            "`bench/public_data.py` makes in the formats they expect. After each finding stands what we hold of it, having",
            "read the program. Seconds include starting Python, and were taken while others used the machine; those of the",
            "whole run are what the rehearsal foretells.",
            f"{platform.machine()}, {os.cpu_count()} shared cores, Python {platform.python_version()}.",
            "",
            f"- {len(rows)} of {len(PROGRAMS)} programs were run: "
            + ", ".join(
                f"{count} {verdict}" for verdict, count in Counter(made["check"]["verdict"] for _, made in rows).items()
            ),
            f"- {sum(map(bool, ends))} rehearsals reached the program's own end",
            f"- {sum(bool(made['left']) for _, made in rows)} left files in the program's folder",
            "",
            "| program | from | arguments | verdict | learns | findings | rehearsal | check, rehearsal, whole run (s) |",
            "|---|---|---|---|---|---|---|---|",
            *(_row(program, made) for program, made in rows),
            "",
            "## Faults planted in public programs",
            "",
            f"{len(faults)} of {len(FAULTS)} were run.",
            "",
            "| flow | program | planted | verdict | told |",
            "|---|---|---|---|---|",
            *(
                f"| {fault.flow} | {fault.program} | {fault.words} | {made['check']['verdict']} | {_told(made)} |"
                for fault, made in faults
            ),
            "",
        ]
    )


def _rehearsal(made: dict[str, Any]) -> dict[str, Any]:
    """The longer one, where there are two."""
    return made.get("rehearse", made["check"])["rehearsal"] or {}


def _told(made: dict[str, Any], program: str | None = None) -> str:
    """Findings that are no notes; of a program, with what we hold of them."""
    every = [one for verb in ("check", "rehearse") for one in made.get(verb, {"findings": ()})["findings"]]
    loud = {(one["id"], one["name"], one["severity"], one["line"]) for one in every if one["severity"] != "note"}
    held = {id_: "" if program is None else f": {HELD.get((program, id_), 'not judged yet')}" for id_, *_ in loud}
    return "<br>".join(
        f"{severity} {id_} {name} at {line}{held[id_]}" for id_, name, severity, line in sorted(loud, key=str)
    )


def _row(program: Program, made: dict[str, Any]) -> str:
    check, end = made["check"], _rehearsal(made)
    reached = "reached its end" if end.get("reached_end") else f"not to its end: {end.get('why') or check['reason']}"
    whole = end.get("full_seconds")
    cells = (
        program.name,
        f"{program.repository} {program.folder}",
        f"`{made['command']}`",
        check["verdict"] + (f": {check['reason']}" if check["verdict"] == "unjudged" else ""),
        check["learns"] or "",
        _told(made, program.name),
        reached + (f"; left {', '.join(made['left'])}" if made["left"] else ""),
        f"{check['seconds']}, {end.get('seconds', 0):.0f}, {'?' if whole is None else f'{whole:.0f}'}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
