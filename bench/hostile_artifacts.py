"""Replays artifacts that an attacker made: they may name programs, arguments and files, and are links, pipes or pickles.

    python bench/hostile_artifacts.py

Each begins as a real artifact of a guarded run, is changed, and lies in what looks like a clone of somebody's project.
It is replayed without a word of trust, and, where it says nothing about what to run, with `--trust` too. It held if
nothing outside of `.firstlight` or inside of the artifact was changed, no escape reached the terminal, and the exit code
is 0, 1 or 2; where it names what to run, 2: nothing was run.
"""

import hashlib
import json
import os
import pickle
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PROGRAM = """
import sys, torch
torch.manual_seed(0)
if len(sys.argv) > 1:
    open("stolen.txt", "w").write(" ".join(sys.argv))
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(30):
    x = torch.randn(8, 4)
    if step == 20:
        x[3] = float("nan")
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
STEAL = "open('stolen.txt', 'w').write('x')"
MOST_READ = 1 << 24
RESULTS = Path(__file__).parent / "results" / "reliability-artifacts.json"
Attack = Callable[[Path, Path], None]
"""Changes the artifact in the first folder; the second is the victim's."""


def named(**program: object) -> Attack:
    """Another program than the victim's, or other arguments."""

    def change(artifact: Path, victim: Path) -> None:
        manifest = json.loads((artifact / "manifest.json").read_text())
        manifest["program"] |= program
        (artifact / "manifest.json").write_text(json.dumps(manifest))

    return change


def part(changed: Callable[[dict[str, object]], None]) -> Attack:
    def change(artifact: Path, victim: Path) -> None:
        manifest = json.loads((artifact / "manifest.json").read_text())
        changed(manifest["parts"][1])
        (artifact / "manifest.json").write_text(json.dumps(manifest))

    return change


def linked(name: str) -> Attack:
    def change(artifact: Path, victim: Path) -> None:
        (artifact / name).unlink(missing_ok=True)
        (artifact / name).symlink_to(victim / "precious.txt")

    return change


def beside(artifact: Path, victim: Path) -> None:
    (artifact / "evil.py").write_text(STEAL)
    named(script=str((artifact / "evil.py").relative_to(victim)))(artifact, victim)


def pickled(artifact: Path, victim: Path) -> None:
    (artifact / "before-model.safetensors").write_bytes(pickle.dumps(_Theft()))


class _Theft:
    def __reduce__(self) -> tuple[object, ...]:
        return exec, (STEAL,)


def piped(artifact: Path, victim: Path) -> None:
    (artifact / "manifest.json").unlink()
    os.mkfifo(artifact / "manifest.json")


def escaping(artifact: Path, victim: Path) -> None:
    manifest = json.loads((artifact / "manifest.json").read_text())
    manifest["summary"] = manifest["check"] = "\x1b[2J\x1b]52;c;eA==\x07"
    (artifact / "manifest.json").write_text(json.dumps(manifest))


def resealed(artifact: Path, victim: Path) -> None:
    named(argv=["--steal"])(artifact, victim)
    (artifact / "seal").write_text(hashlib.sha256((artifact / "manifest.json").read_bytes()).hexdigest())


def huge(artifact: Path, victim: Path) -> None:
    with (artifact / "before-model.safetensors").open("wb") as file:
        file.write((1 << 62).to_bytes(8, "little"))
        file.truncate(1 << 33)


RUNS: dict[str, Attack] = {
    "a shell, with a command": named(script="sh", argv=["-c", "echo x > stolen.txt"]),
    "a shell by its path": named(script="/bin/sh", argv=["-c", "echo x > stolen.txt"]),
    "Python, with a command": named(script="python", argv=["-c", STEAL]),
    "a module of Python's that runs its argument": named(script=None, module="timeit", argv=["-n1", "-r1", STEAL]),
    "a module that imports its argument": named(script=None, module="pdb", argv=["-c", STEAL]),
    "a script in the artifact": beside,
    "a script above the project": named(script="../evil.py"),
    "arguments for the victim's own script": named(argv=["--steal"]),
    "an argument that looks like ours": named(argv=["--trust", "--steal"]),
    "a seal of the attacker's": resealed,
}
FILES: dict[str, Attack] = {
    "the manifest is a link": linked("manifest.json"),
    "the weights are a link": linked("before-model.safetensors"),
    "the seal is a link": linked("seal"),
    "repro.py is a link to a file of the victim's": linked("repro.py"),
    "a part lies above the artifact": part(lambda one: one.update(file="../../../../../precious.txt")),
    "a part is an absolute path": part(lambda one: one.update(file="/etc/passwd")),
    "a part says that it has no end": part(lambda one: one.update(bytes=1 << 60)),
    "the weights are a pickle": pickled,
    "the weights claim to be of 2^62 bytes": huge,
    "the manifest is a pipe": piped,
    "escapes in what is printed": escaping,
}


def firstlight(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "firstlight", *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def state(folder: Path) -> dict[str, bytes]:
    """Every file, but for what runs of firstlight leave for themselves."""
    kept = (path for path in folder.rglob("*") if ".firstlight" not in path.parts or "artifacts" in path.parts)
    read = (path for path in kept if path.is_symlink() or (path.is_file() and path.stat().st_size < MOST_READ))
    return {str(path): bytes(path.readlink()) if path.is_symlink() else path.read_bytes() for path in read}


def held(original: Path, attack: Attack, codes: tuple[int, ...], *words: str) -> bool:
    with tempfile.TemporaryDirectory() as name:
        above = Path(name)
        (above / "evil.py").write_text(STEAL)
        victim = above / "project"
        shutil.copytree(original, victim, symlinks=True)
        (victim / "precious.txt").write_text("mine")
        (artifact,) = victim.glob(".firstlight/runs/*/artifacts/*")
        attack(artifact, victim)
        before = state(above)
        done = firstlight(victim, "replay", str(artifact.relative_to(victim)), *words)
        quiet = "\x1b" not in done.stdout + done.stderr and "Traceback" not in done.stderr
        return state(above) == before and done.returncode in codes and quiet


def row(
    what: str, original: Path, attacks: dict[str, Attack], codes: tuple[int, ...], *words: str
) -> dict[str, object]:
    lost = [name for name, attack in attacks.items() if not held(original, attack, codes, *words)]
    note = f"got through: {'; '.join(lost)}" if lost else "; ".join(attacks)
    return {"what": what, "tried": len(attacks), "held": len(attacks) - len(lost), "note": note}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        original = Path(name)
        (original / "train.py").write_text(PROGRAM)
        firstlight(original, "run", "--no-check", "train.py")
        rows = [
            row("what to run is the attacker's, not trusted", original, RUNS, (2,)),
            row("files are the attacker's, not trusted", original, FILES, (0, 1, 2)),
            row("files are the attacker's, trusted", original, FILES, (0, 1, 2), "--trust"),
        ]
    tried, kept = sum(int(str(one["tried"])) for one in rows), sum(int(str(one["held"])) for one in rows)
    machine = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    told = {"part": "artifacts", "machine": machine, "floor": "", "tried": tried, "lost": tried - kept, "rows": rows}
    RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(f"{tried} tried, {tried - kept} lost")


if __name__ == "__main__":
    main()
