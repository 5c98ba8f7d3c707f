"""Tries every way of `hostile/ways.py` to change a user's files, on each floor of the kernel and on none.

    python bench/hostile_containment.py [RESULTS.json]

A way is lost where anything of its folder differs afterwards: a byte, a name, a mode, an owner, a time, an attribute.
"""

import json
import os
import platform
import sqlite3
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hostile.ways import ways

from firstlight.observe.inside import containment
from firstlight.observe.spec import Spec
from firstlight.observe.target import parse
from firstlight.observe.watch import Means, running
from firstlight.store.run_directory import RunDirectory

FLOORS = (("view", "landlock"), ("landlock",), ())
MOST_SECONDS = 900.0
TRIES = 4
HEAD = """
import _io, _sqlite3, asyncio, atexit, bz2, cProfile, codecs, concurrent.futures, csv, ctypes, dbm, faulthandler, gzip, io, json, logging
import logging.handlers, lzma, mmap, multiprocessing, os, pathlib, pickle, posix, pty, py_compile, shelve, shutil, signal, socket
import sqlite3, subprocess, sys, tarfile, tempfile, threading, time, trace, wave, zipfile
libc = ctypes.CDLL(None, use_errno=True)
P = os.getcwd()
def shell(text):
    words = {"F": F, "V": V, "P": P, "rel": os.path.relpath(F), "py": sys.executable}
    subprocess.run(text.format(**words), shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
def touch(path):
    open(path, "w").write("x")
def start(kind, path):
    process = multiprocessing.get_context(kind).Process(target=touch, args=(path,))
    process.start()
    process.join(60)
async def spawned(path):
    await (await asyncio.create_subprocess_exec("touch", path)).wait()
def daemon(path):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            libc.open(os.fsencode(path), 513)
        os._exit(0)
    time.sleep(0.5)
def profiled(path):
    with torch.profiler.profile() as profile:
        torch.ones(3).sum()
    profile.export_chrome_trace(path)
def attempt(number, text):
    global V, F, R, B, N
    V = f"{P}/v{number}"
    F = V + "/file.txt"
    B, N = os.fsencode(F), os.fsencode(V + "/new")
    pid = os.fork()
    if pid == 0:
        nowhere = os.open("/dev/null", os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        signal.alarm(90)
        R = os.open(F, os.O_RDONLY)
        try:
            exec(text, globals())
        except BaseException:
            os._exit(1)
        os._exit(0)
    print("way", number, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
if __name__ == "__main__":
    WAYS = json.loads(pathlib.Path("ways.json").read_text())
    for number, (kind, text) in enumerate(WAYS):
        if kind != "libraries":
            attempt(number, text)
    import numpy as np, torch, torch.package, torch.distributed.checkpoint, torch.utils.tensorboard
    import joblib, pandas as pd, polars as pl, pyarrow as pa, pyarrow.csv, pyarrow.feather, pyarrow.fs, pyarrow.parquet as pq, safetensors.torch
    for number, (kind, text) in enumerate(WAYS):
        if kind == "libraries":
            attempt(number, text)
    print("all tried")
"""


def victim(folder: Path) -> None:
    for name in ("dir", "empty"):
        (folder / name).mkdir(parents=True)
    (folder / "file.txt").write_text("precious, and long enough to be mapped as a tensor\n")
    (folder / "hard.txt").hardlink_to(folder / "file.txt")
    (folder / "dir/inner.txt").write_text("inner\n")
    (folder / "dir/present.py").write_text("")
    with sqlite3.connect(folder / "dir/present.db") as database:
        database.execute("create table t (a)")
    database.close()
    (folder / "link").symlink_to("file.txt")
    (folder / "dirlink").symlink_to("dir")


def state(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in (folder, *folder.rglob("*")):
        there = path.lstat()
        attributes = {} if path.is_symlink() else {name: os.getxattr(path, name) for name in os.listxattr(path)}
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[str(path)] = (there.st_mode, there.st_uid, there.st_mtime_ns, attributes, content)
    return found


def tried(floors: tuple[str, ...]) -> tuple[str, list[tuple[str, str, bool]]] | None:
    """The floor there was, and for each way whether it was held."""
    known = ways()
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        project = Path(name).resolve() / "project"
        for number in range(len(known)):
            victim(project / f"v{number}")
        (project / "ways.json").write_text(json.dumps([(kind, text) for kind, _, text in known]))
        (project / "train.py").write_text(HEAD)
        before = [state(project / f"v{number}") for number in range(len(known))]
        os.chdir(project)
        floor, lines = _run(project, floors)
        if "all tried" not in lines:
            print("the script did not get to its end and is run again:", lines[-1], flush=True)
            os.chdir("/")
            return None
        after = [state(project / f"v{number}") for number in range(len(known))]
        os.chdir("/")
    held = [one == other for one, other in zip(before, after, strict=True)]
    return floor, [(kind, way, is_held) for (kind, way, _), is_held in zip(known, held, strict=True)]


def _run(project: Path, floors: tuple[str, ...]) -> tuple[str, list[str]]:
    run = RunDirectory.create(project)
    spec = Spec(
        run_id=run.id, run=str(run.path), events=str(run.events), scratch=str(run.scratch), cwd=str(project),
        owner=os.getpid(), steps=1, seconds=MOST_SECONDS, full_steps=0, sample_every=1, taps=(), floors=floors,
    )  # fmt: skip
    with running(parse(("train.py",), module=False), spec, Means()) as script:
        script.wait(lambda: script.seconds > MOST_SECONDS)
        return str(containment.contained(run.scratch).floor), script.output.lines()


def main(results: Path) -> None:
    rows, best = [], None
    for floors in FLOORS:
        floor, found = next(done for _ in range(TRIES) if (done := tried(floors)) is not None)
        best = best or (floor, found)
        count, held = Counter(kind for kind, _, _ in found), Counter(kind for kind, _, is_held in found if is_held)
        for kind in count:
            escaped = [way for other, way, is_held in found if other == kind and not is_held]
            note = f"got through: {'; '.join(escaped)}" if escaped else ""
            rows.append({"what": f"floor {floor}: {kind}", "tried": count[kind], "held": held[kind], "note": note})
        print(f"floor {floor}: {sum(held.values())} of {len(found)} held", flush=True)
    assert best is not None
    told = {
        "part": "containment",
        "machine": f"Linux {platform.release()}, Python {platform.python_version()}",
        "floor": best[0],
        "tried": len(best[1]),
        "lost": sum(not is_held for _, _, is_held in best[1]),
        "rows": rows,
    }
    results.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(
        Path(
            sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "results/reliability-containment.json"
        ).resolve()
    )
