"""Public training programs that nobody of this project wrote, unchanged, on data made here: quiet, or right?

python bench/public.py --mirrors DIR --packages DIR                # all of them; writes bench/results/public.md
python bench/public.py --mirrors DIR --packages DIR --only gan vae # those of these names; other rows stay
python bench/public.py --mirrors DIR --packages DIR --faults       # with a fault planted in each: what is told of it?
python bench/public.py … --only vae --verbs check --again          # after mending; the first look stays beside it

DIR of --mirrors has a clone of each repository as owner+name/repo, bare or not. --packages is a folder for PYTHONPATH with
what the programs need beside torch: pip install --target DIR gymnasium matplotlib torchvision unidecode six einops einx.
In it, `check_integrity` of torchvision/datasets/utils.py must take what exists for whole: made pictures have other sums.
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
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import public_second_page
from public_faults import FAULTS, Fault
from public_programs import COMMITS, HELD, PROGRAMS, Program
from public_second import SECOND, SECOND_COMMITS
from public_second_faults import SECOND_FAULTS
from public_third import THIRD, THIRD_COMMITS

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results" / "public.md"
LONGEST_S = 100
"""How long a program may run by itself to learn how long it takes."""
MEASURED = ROOT / "bench" / "results" / "public.json"


@dataclass(frozen=True)
class Places:
    mirrors: Path
    packages: Path


def copied(program: Program, mirrors: Path, into: Path) -> Path:
    """The program's Python files at its commit, with its data beside: the folder it is run in."""
    store = mirrors / program.repository.replace("/", "+") / "repo"
    git = ["git", f"--git-dir={store / '.git' if (store / '.git').is_dir() else store}"]
    commit = {**COMMITS, **SECOND_COMMITS, **THIRD_COMMITS}[program.repository]
    where = [program.folder] if program.folder else []
    listed = subprocess.run([*git, "ls-tree", "-rz", "--name-only", commit, *where], capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if name.endswith((".py", ".gitignore")) or name in program.also:  # the latter keep folders that are written to
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(subprocess.run([*git, "show", f"{commit}:{name}"], capture_output=True, check=True).stdout)
    here = into / program.folder
    program.make(here)
    return here


def measured(program: Program, places: Places, verbs: tuple[str, ...], fault: Fault | None = None) -> dict[str, Any]:
    """What is said of it, and what is left in its folders, for each verb."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve() / "copy"
        here = copied(program, places.mirrors, top)
        if fault is not None:
            source = (top / fault.file).read_text(encoding="utf-8")
            assert fault.old in source, (fault.file, fault.old)
            (top / fault.file).write_text(source.replace(fault.old, fault.new), encoding="utf-8")
        made: dict[str, Any] = {"command": program.command}
        for verb in verbs:
            before = _files(top)
            made[verb] = plain(program, here, places.packages) if verb == "run" else asked(verb, program, here, places)
            made[verb]["left"] = sorted(_files(top) - before)
        return made


def _files(folder: Path) -> set[str]:
    """But for what firstlight keeps of its runs, and what Python keeps of modules."""
    every = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {str(path) for path in every if not {".firstlight", "__pycache__"} & set(path.parts)}


def started(words: list[str], here: Path, packages: Path, limit: float | None) -> tuple[str, str, int]:
    """What the command printed on both channels, and its seconds; the limit where it took longer."""
    paths = os.pathsep.join(map(str, (packages, here, here.parent)))  # the last as if it were installed
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    environment["SCIKIT_LEARN_DATA"] = str(here / "scikit_learn_data")
    begun = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=here,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return "", "", round(time.monotonic() - begun)
    return done.stdout, done.stderr, round(time.monotonic() - begun)


def plain(program: Program, here: Path, packages: Path) -> dict[str, Any]:
    """Seconds of the program by itself."""
    *_, seconds = started(program.command.split(), here, packages, LONGEST_S)
    return {"seconds": seconds}


def asked(verb: str, program: Program, here: Path, places: Places) -> dict[str, Any]:
    words = ["-m", "firstlight", verb, "--format", "json", *program.command.split()]
    printed, complained, seconds = started(words, here, places.packages, None)
    if not printed:
        return {"verdict": "no report", "reason": complained[-400:], "seconds": seconds, "findings": []}
    report = json.loads(printed)
    keep = ("id", "name", "severity", "confidence", "cause", "saw")
    told = ("reached_end", "stopped_at", "why", "by_shortening", "seconds", "full_seconds")
    rehearsal = report["assurance"].get("rehearsal") or {}
    return {
        "verdict": report["verdict"],
        "reason": report.get("reason"),
        "seconds": seconds,
        "learns": (report["assurance"].get("learns") or {}).get("status"),
        "rehearsal": {key: rehearsal.get(key) for key in told if rehearsal},
        "findings": [{**{key: one[key] for key in keep}, "line": one["where"]["line"]} for one in report["findings"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirrors", type=Path, required=True, help="Folder of clones, each as owner+name/repo.")
    parser.add_argument("--packages", type=Path, required=True, help="Folder with what the programs import.")
    parser.add_argument("--only", nargs="*", help="Programs of these names, or faults as `PROGRAM: WORDS`.")
    parser.add_argument("--verbs", nargs="*", default=["rehearse", "check"], help="Any of rehearse, check, run.")
    parser.add_argument("--again", action="store_true", help="After mending: kept beside the first look.")
    parser.add_argument("--faults", action="store_true", help="Plant the faults, and check those programs.")
    wanted = parser.parse_args()
    places = Places(wanted.mirrors.resolve(), wanted.packages.resolve())
    programs = {program.name: program for program in (*PROGRAMS, *SECOND, *THIRD)}
    cases: list[tuple[str, Fault | None]] = [(name, None) for name in programs]
    if wanted.faults:
        cases = [(fault.program, fault) for fault in (*FAULTS, *SECOND_FAULTS)]
    for name, fault in cases:
        key = name if fault is None else f"{name}: {fault.words}"
        if wanted.only is not None and name not in wanted.only and key not in wanted.only:
            continue
        verbs = ("check",) if wanted.faults else tuple(wanted.verbs)
        made = measured(programs[name], places, verbs, fault)
        known = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
        if wanted.again:
            made = {"again": made["check"]}
        known[key] = {**known.get(key, {}), **made}  # another process may have added its own meanwhile
        print(key, json.dumps(known[key]), flush=True)
        MEASURED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        RESULTS.write_text(_page(known), encoding="utf-8")


def _page(known: dict[str, Any]) -> str:
    """The measured programs in the order of their table, and the planted faults."""
    rehearsed = [(one, known[one.name]) for one in PROGRAMS if _rehearsal(known.get(one.name, {}))]
    checked = [(one, known[one.name]) for one in PROGRAMS if "check" in known.get(one.name, ())]
    faults = [(one, known[key]["check"]) for one in FAULTS if (key := f"{one.program}: {one.words}") in known]
    clean = [made["check"] for _, made in checked if made["check"]["verdict"] == "clean"]
    verdicts = Counter(made["check"]["verdict"] for _, made in checked)
    ends = [_rehearsal(made)["rehearsal"].get("reached_end") for _, made in rehearsed]
    left = [made for _, made in rehearsed if _rehearsal(made)["left"]]
    return f"""# Public programs

Written by `bench/public.py`: training programs of public repositories at the commits in
`bench/public_programs.py`, their code unchanged, with arguments that make them small, on data that
`bench/public_data.py` makes in the formats they expect. After each finding stands what we hold of it, having
read the program. Seconds include starting Python, and were taken while others used the machine.
{platform.machine()}, {os.cpu_count()} shared cores, Python {platform.python_version()}.

## Rehearsed

{len(rehearsed)} of {len(PROGRAMS)} programs; {sum(map(bool, ends))} reached their own end, {len(left)} left files in \
their folders. Where a program was not rehearsed by itself, it is the rehearsal in its check. The whole run is the program by itself where it ends within {LONGEST_S} s, else what the rehearsal foretells.

| program | from | arguments | rehearsal | told | seconds | whole run (s) |
|---|---|---|---|---|---|---|
{_lines(_rehearsed(*row) for row in rehearsed)}

## Checked

{len(checked)} of {len(PROGRAMS)} programs: {", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())}. \
Of the clean ones {sum(map(_certified, clean))} are certified to learn.

| program | verdict | learns | findings | seconds |
|---|---|---|---|---|
{_lines(_checked(*row) for row in checked)}

## Faults planted in public programs

{len(faults)} of {len(FAULTS)} were run, {sum(bool(_told(made)) for _, made in faults)} were told.

| flow | program | planted | verdict | told |
|---|---|---|---|---|
{_lines((fault.flow, fault.program, fault.words, made["verdict"], _told(made)) for fault, made in faults)}

{public_second_page.section(known)}
{public_second_page.third(known)}"""


def _lines(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _rehearsal(made: dict[str, Any]) -> dict[str, Any]:
    """By itself, or as a part of the check."""
    part = made.get("check", {})
    found: dict[str, Any] = made.get("rehearse") or (part if part.get("rehearsal") else {})
    return found


def _rehearsed(program: Program, made: dict[str, Any]) -> tuple[str, ...]:
    found = _rehearsal(made)
    end = found["rehearsal"]
    by_itself, foretold = made.get("run", {}).get("seconds", LONGEST_S), end.get("full_seconds")
    reached = "reached its end" if end.get("reached_end") else f"not to its end: {end.get('why') or found['reason']}"
    return (
        program.name,
        f"{program.repository} {program.folder}",
        f"`{made['command']}`",
        reached + (f"; left {', '.join(found['left'])}" if found["left"] else ""),
        _told(found, program.name) if "rehearse" in made else "as below",
        f"{end.get('seconds') or found['seconds']:.0f}",
        f"{by_itself}" if by_itself < LONGEST_S else "?" if foretold is None else f"{foretold:.0f} foretold",
    )


def _checked(program: Program, made: dict[str, Any]) -> tuple[str, ...]:
    found = made["check"]
    verdict = found["verdict"] + (f": {found['reason']}" if found["verdict"] in ("unjudged", "no report") else "")
    _, _, why = (found["reason"] or "").partition("could not be certified (")
    learns = (found["learns"] or "") + (f": {why.removesuffix(')')}" if why else "")
    return (program.name, verdict, learns, _told(found, program.name), f"{found['seconds']}")


def _certified(found: dict[str, Any]) -> bool:
    return bool(found["learns"] == "certified")


def _told(found: dict[str, Any], program: str | None = None) -> str:
    """Findings that are no notes; of a program, with what we hold of them."""
    loud = [one for one in found["findings"] if one["severity"] != "note"]
    words = [f"{one['severity']} {one['id']} {one['name']} at {one['line']}" for one in loud]
    if program is not None:
        held = [HELD.get((program, one["id"]), "not judged yet") for one in loud]
        words = [f"{saw}: {what}" for saw, what in zip(words, held, strict=True)]
    return "<br>".join(words)


if __name__ == "__main__":
    main()
