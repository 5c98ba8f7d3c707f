"""`firstlight doctor`: is this machine, and this Python environment, fit to check on?

torch is asked in a process of its own, so that a broken one cannot take the command down with it.
"""

import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import click

from firstlight import __version__
from firstlight.observe.inside import cores
from firstlight.observe.spec import VARIABLE
from firstlight.records.printable import in_one_line

Version = tuple[int, ...]
State = Literal["note", "warning", "fault"]
COLOURS: dict[State, str] = {"note": "blue", "warning": "yellow", "fault": "red"}
TORCH_SECONDS = 90.0
"""A first `import torch` from a network drive takes most of a minute."""
AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"

INTEGRATIONS = (
    "numpy", "lightning", "pytorch-lightning", "torchmetrics", "transformers", "accelerate", "datasets", "deepspeed",
    "torchvision", "triton", "ray", "wandb", "mlflow", "mlflow-skinny", "sqlalchemy", "tensorboard", "scikit-learn",
)  # fmt: skip

ASK_TORCH = """
import json, sys
called = []
try:
    import _firstlight_entry
    _firstlight_entry.activate = lambda: called.append(True)
except ImportError:
    called = None
import torch
sys.stdout.write("\\n" + json.dumps({
    "version": torch.__version__,
    "threads": torch.get_num_threads(),
    "dtype": str(torch.get_default_dtype()).removeprefix("torch."),
    "devices": [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())],
    "mps": torch.backends.mps.is_available(),
    "called_us": bool(called),
}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch:
    """What torch says about itself; `problem` when it could not be asked."""

    version: str = ""
    threads: int = 0
    dtype: str = ""
    devices: list[str] = field(default_factory=list)
    """Those CUDA can use."""
    mps: bool = False
    called_us: bool = True
    """It called firstlight's entry point at the end of its import."""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that the rules below look at."""

    python: Version
    packages: dict[str, str]
    environment: dict[str, str] = field(default_factory=dict)
    entry_point: bool = True
    can_write: bool = True
    can_fork: bool = True
    torch: Torch | None = None

    def version(self, name: str) -> Version:
        """Empty where absent, which sorts before every version."""
        return tuple(map(int, re.findall(r"\d+", self.packages.get(name, "").partition("+")[0])[:3]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A combination known to be bad."""

    when: Callable[[Found], bool]
    state: State
    what: str
    why: str
    do: str


RULES: tuple[Rule, ...] = (
    Rule(
        when=lambda found: found.python < (3, 11),
        state="fault",
        what="Python before 3.11",
        why="firstlight needs 3.11 or later",
        do="create an environment with a newer Python",
    ),
    Rule(
        when=lambda found: "torch" not in found.packages,
        state="fault",
        what="torch is not installed next to firstlight",
        why="`firstlight check` runs scripts with the Python it is installed in",
        do="install torch here, or install firstlight into the environment that has torch",
    ),
    Rule(
        when=lambda found: () < found.version("torch") < (2, 4),
        state="fault",
        what="torch before 2.4",
        why="the hooks firstlight uses are missing or behave differently there",
        do="install torch 2.5 or later",
    ),
    Rule(
        when=lambda found: (2, 4) <= found.version("torch") < (2, 5),
        state="warning",
        what="torch before 2.5",
        why="it calls no entry points: the script is observed, but its child processes (workers, ranks) are not",
        do="install torch 2.5 or later",
    ),
    Rule(
        when=lambda found: found.environment.get(AUTOLOAD) == "0",
        state="warning",
        what=f"{AUTOLOAD}=0",
        why="torch then calls no entry points: the script is observed, its child processes (workers, ranks) are not",
        do=f"unset {AUTOLOAD} for the check",
    ),
    Rule(
        when=lambda found: (
            found.torch is not None
            and not found.torch.called_us
            and found.entry_point
            and found.environment.get(AUTOLOAD) != "0"
            and found.version("torch") >= (2, 5)
        ),
        state="warning",
        what="torch did not call firstlight's entry point",
        why="the script is observed, but its child processes (workers, ranks) are not",
        do="look for another package in the entry point group `torch.backends` that fails",
    ),
    Rule(
        when=lambda found: not found.entry_point,
        state="fault",
        what="the entry point `torch.backends: firstlight` is not registered",
        why="torch finds firstlight through it",
        do="install firstlight with pip instead of putting its sources on the path",
    ),
    Rule(
        when=lambda found: found.torch is not None and bool(found.torch.problem),
        state="fault",
        what="torch is installed but cannot be imported",
        why="every check would end with a crash of the script",
        do='run `python -c "import torch"` here and fix what it reports',
    ),
    Rule(
        when=lambda found: "torch" in found.packages and "numpy" not in found.packages,
        state="warning",
        what="torch without NumPy",
        why="torch warns at its first use, and `.numpy()` and `from_numpy` fail",
        do="install numpy",
    ),
    Rule(
        when=lambda found: found.version("mlflow") >= (3,) or found.version("mlflow-skinny") >= (3,),
        state="note",
        what="MLflow 3",
        why="its file store (`./mlruns`, `file:` addresses) is in maintenance mode and may fail to open",
        do="use a `sqlite:///` address, or set MLFLOW_ALLOW_FILE_STORE=true",
    ),
    Rule(
        when=lambda found: (
            found.version("mlflow-skinny") >= (3,)
            and "mlflow" not in found.packages
            and "sqlalchemy" not in found.packages
        ),
        state="warning",
        what="mlflow-skinny 3 without SQLAlchemy",
        why="it cannot open its own default store, a sqlite file",
        do="install sqlalchemy and alembic, or set MLFLOW_TRACKING_URI to a server",
    ),
    Rule(
        when=lambda found: not found.can_write,
        state="fault",
        what="the working directory cannot be written to",
        why="a run leaves its report in `.firstlight/` there",
        do="start from a directory you can write to",
    ),
)


@click.command("doctor")
@click.option("--torch/--no-torch", "ask", default=True, help="Start torch in a separate process to see its devices.")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal")
@click.pass_context
def command(ctx: click.Context, ask: bool, form: str) -> None:
    """Report what is installed here, and which known-bad combinations are present.

    Exit code: 0 checks can run here, 1 something will not work.
    """
    found = look(ask)
    broken = [rule for rule in RULES if rule.when(found)]
    usable = all(rule.state != "fault" for rule in broken)
    if form == "json":
        click.echo(json.dumps(_plain(found, broken, usable), indent=2))
    else:
        click.echo("\n".join(_lines(found, broken, usable)))
    ctx.exit(0 if usable else 1)


def look(ask: bool) -> Found:
    packages = {name: version for name in ("torch", *INTEGRATIONS) if (version := _installed(name))}
    variables = (AUTOLOAD, "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES")
    return Found(
        python=sys.version_info[:3],
        packages=packages,
        environment={key: os.environ[key] for key in variables if key in os.environ},
        entry_point="firstlight" in importlib.metadata.entry_points(group="torch.backends").names,
        can_write=os.access(Path.cwd(), os.W_OK),
        can_fork=hasattr(os, "fork"),
        torch=ask_torch(ASK_TORCH, TORCH_SECONDS) if ask and "torch" in packages else None,
    )


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        built_by_hand = name == "torch" and importlib.util.find_spec(name) is not None
        return "of unknown version" if built_by_hand else None


def ask_torch(program: str, seconds: float) -> Torch:
    command, environment = [sys.executable, "-c", program], {**os.environ, VARIABLE: ""}
    try:
        asked = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return Torch(problem=f"no answer within {seconds:g} s")
    if asked.returncode != 0:
        last = asked.stderr.strip().splitlines()[-1:] or [f"exit code {asked.returncode}"]
        return Torch(problem=last[0])
    try:
        return Torch(**json.loads(asked.stdout.splitlines()[-1]))
    except (IndexError, ValueError, TypeError):
        return Torch(problem="no answer that could be read")


def _plain(found: Found, broken: list[Rule], usable: bool) -> dict[str, object]:
    return {
        "firstlight": __version__,
        "usable": usable,
        **asdict(found),
        "python": ".".join(map(str, found.python)),
        "executable": sys.executable,
        "platform": platform.platform(),
        "cores": cores.usable(),
        "problems": [{"state": rule.state, "what": rule.what, "why": rule.why, "do": rule.do} for rule in broken],
    }


def _lines(found: Found, broken: list[Rule], usable: bool) -> Iterator[str]:
    yield f"firstlight {__version__}"
    rows = {
        "python": f"{platform.python_version()} at {sys.executable}",
        "platform": platform.platform(),
        "cores": f"{cores.usable()}; OMP_NUM_THREADS {found.environment.get('OMP_NUM_THREADS', 'not set')}",
        "torch": _torch_line(found),
        "directory": "can be written to" if found.can_write else "cannot be written to",
        "fork": "available" if found.can_fork else "not available",
    }
    yield from (f"  {name:<10} {in_one_line(text)}" for name, text in rows.items())
    beside = ", ".join(f"{name} {version}" for name, version in found.packages.items() if name != "torch")
    yield textwrap.fill(f"  {'beside':<10} {in_one_line(beside) or 'nothing'}", 80, subsequent_indent=" " * 13)
    yield ""
    for rule in broken:
        yield f"{click.style(rule.state, fg=COLOURS[rule.state])}: {in_one_line(rule.what)}"
        for text in (f"  why  {rule.why}", f"  do   {rule.do}"):
            yield textwrap.fill(text, 80, subsequent_indent=" " * 7)
    yield "Checks can run here." if usable else "Checks cannot run here until the problems above are fixed."


def _torch_line(found: Found) -> str:
    version = found.packages.get("torch", "not installed")
    if found.torch is None:
        return version
    if found.torch.problem:
        return f"{version}; asked: {found.torch.problem}"
    devices = ", ".join(found.torch.devices) or ("mps" if found.torch.mps else "CPU only")
    called = "calls" if found.torch.called_us else "does not call"
    return f"{version}; {devices}; {found.torch.threads} threads; {found.torch.dtype}; {called} firstlight"
