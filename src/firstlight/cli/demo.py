"""`firstlight demo`: the real command on a bundled program with a bug, and on its fixed twin."""

import difflib
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

import firstlight
from firstlight.cli.say import say
from firstlight.errors import UsageError
from firstlight.observe.spec import VARIABLE

PROGRAMS = Path(firstlight.__file__).parent / "demo"
ILL, CLEAN = 1, 0


@click.command("demo")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Catch a real bug in a small training program, then pass the same program with the bug fixed.

    Both are copied to a temporary directory and checked there as you would check your own. The exit code is 0 when the
    first is judged ill and the second clean.
    """
    if importlib.util.find_spec("torch") is None:
        raise UsageError(
            "torch is not installed next to firstlight, and the demo trains a network. "
            "Install it (`pip install torch`) and run `firstlight demo` again."
        )
    buggy, fixed = (PROGRAMS / name for name in ("train_buggy.py", "train_fixed.py"))
    with tempfile.TemporaryDirectory(prefix="firstlight-demo-") as folder:
        _say("A network learns to read digits. It trains without an error, but one line of the program is wrong.")
        ill = _check(buggy, Path(folder))
        _say("The same program with that line fixed:", *_change(buggy, fixed))
        clean = _check(fixed, Path(folder))
    if (ill, clean) != (ILL, CLEAN):
        _say(f"The demo failed: the checks ended with {ill} and {clean} instead of {ILL} and {CLEAN}.")
        ctx.exit(1)
    _say("Now try yours: `firstlight check train.py`, with the arguments it takes.")


def _say(*lines: str) -> None:
    say("\n".join(lines))


def _check(program: Path, folder: Path) -> int:
    (folder / "train.py").write_bytes(program.read_bytes())
    click.secho("\n$ firstlight check train.py\n", bold=True)
    sys.stdout.flush()
    environment = {key: value for key, value in os.environ.items() if key != VARIABLE}
    done = subprocess.run(
        [sys.executable, "-m", "firstlight", "check", "train.py"], cwd=folder, env=environment, check=False
    )
    say("")
    return done.returncode


def _change(before: Path, after: Path) -> Iterator[str]:
    old, new = (path.read_text(encoding="utf-8").splitlines() for path in (before, after))
    yield ""
    yield from (f"  {line}" for line in difflib.ndiff(old, new) if line.startswith(("- ", "+ ")))
