"""What the user asked to run, as the command that runs it under observation."""

import difflib
import itertools
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from firstlight.errors import UsageError

ENTRY = ("-m", "_firstlight_entry")
"""Runs one of our modules, whatever stands beside the script."""
START = (*ENTRY, "firstlight.observe.inside.start")
LAUNCH = (*ENTRY, "firstlight.observe.inside.launch")
TAKES_VALUE = ("-X", "-W")
DECLARATION = re.compile(r"(?:[\w.]+|.+\.py):[A-Za-z_][\w.]*")
INTERPRETER = re.compile(r"python[\d.]*(\.exe)?")
LAUNCHERS = frozenset(
    {"torchrun", "accelerate", "torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch"}
)


@dataclass(frozen=True, slots=True)
class Target:
    words: tuple[str, ...]
    """As the user wrote it."""
    command: tuple[str, ...]
    """What is executed."""
    file: str | None
    """The script, where there is one."""
    interpreter: str

    @property
    def plain(self) -> tuple[str, ...]:
        """The same without us in between."""
        if self.command[1 : 1 + len(LAUNCH)] == LAUNCH:
            return self.command[1 + len(LAUNCH) :]
        at = next((i for i in range(len(self.command)) if self.command[i : i + len(START)] == START), None)
        return self.command if at is None else (*self.command[:at], *self.command[at + len(START) :])

    @property
    def shown(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared experiment, by where it stands: `package.module:attribute`, or `path/to/file.py:attribute`."""

    module: str
    attribute: str

    @classmethod
    def parse(cls, word: str) -> "Declaration":
        module, _, attribute = word.rpartition(":")
        return cls(module, attribute)

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}"


def is_declaration(word: str) -> bool:
    return DECLARATION.fullmatch(word) is not None and not Path(word).exists()


def parse(words: tuple[str, ...], module: bool, verb: str = "check") -> Target:
    """`words` are a script, an interpreter with one, or a launcher; with `module`, a module name. Arguments follow.

    `verb` is the command that asks, for messages.
    """
    if not words:
        raise UsageError(
            f"nothing to {verb}. Name a script: `firstlight {verb} train.py`, "
            f"or a module: `firstlight {verb} -m pkg.train`"
        )
    if module:
        return Target(("-m", *words), (sys.executable, *START, "-m", *words), None, sys.executable)
    first = words[0]
    if Path(first).is_dir():
        return _folder(words)
    program = shutil.which(first)
    if program is not None and INTERPRETER.fullmatch(Path(first).name):
        return _interpreter(program, words)
    if Path(first).is_file() and (program is None or first.endswith(".py")):
        return _script(sys.executable, (), words, words)
    if program is None:
        raise UsageError(_no_such_file(first))
    python = _interpreter_of(program)
    return Target(words, (python, *LAUNCH, program, *words[1:]), _script_among(words), python)


def recorded(script: str, arguments: tuple[str, ...]) -> Target:
    """A Python file as a record names it: never a program that is looked for by its name."""
    if not Path(script).is_file():
        raise UsageError(_no_such_file(script))
    return _script(sys.executable, (), (script, *arguments), (script, *arguments))


def launched(target: Target) -> bool:
    """A launcher starts the script, as often as it was told to. What follows the script's name is its own."""
    before = itertools.takewhile(lambda word: not word.endswith(".py"), target.words)
    return any(Path(word).name in LAUNCHERS for word in before)


def without_launcher(target: Target) -> Target | None:
    """The script that a launcher starts, as Python alone would run it; None where the words name no script."""
    script = _script_among(target.words)
    if script is None:
        return None
    words = target.words[target.words.index(script, 1) :]
    return _script(target.interpreter, (), words, words)


def _script(python: str, flags: tuple[str, ...], rest: tuple[str, ...], words: tuple[str, ...]) -> Target:
    if not os.access(rest[0], os.R_OK):
        raise UsageError(f"{rest[0]} cannot be read")
    return Target(words, (python, *flags, *START, *rest), rest[0], python)


def _folder(words: tuple[str, ...]) -> Target:
    if not (Path(words[0]) / "__main__.py").is_file():
        raise UsageError(f"{words[0]} is a directory without a __main__.py. Name the script in it that trains")
    return Target(words, (sys.executable, *START, *words), words[0], sys.executable)


def _interpreter(python: str, words: tuple[str, ...]) -> Target:
    """`python [FLAGS] script.py ARGS` or `python [FLAGS] -m module ARGS`."""
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-m", "-c", "-"):
        at += 2 if words[at] in TAKES_VALUE else 1
    flags, rest = words[1:at], words[at:]
    if not rest or rest[0] in ("-c", "-"):
        raise UsageError(
            f"`{' '.join(words)}` names no script. Put the program in a file: `firstlight check -- python train.py`"
        )
    if rest[0] == "-m":
        return Target(words, (python, *flags, *START, *rest), None, python)
    if not Path(rest[0]).is_file():
        raise UsageError(_no_such_file(rest[0]))
    return _script(python, flags, rest, words)


def _script_among(words: tuple[str, ...]) -> str | None:
    return next((word for word in words[1:] if word.endswith(".py") and Path(word).is_file()), None)


def _interpreter_of(program: str) -> str:
    """The Python behind a launcher such as torchrun: what its first line says, else ours."""
    try:
        with Path(program).open("rb") as file:
            first = file.readline(300).decode("utf-8", "replace")
    except OSError:
        return sys.executable
    python = first.removeprefix("#!").split()[:1]
    return python[0] if first.startswith("#!") and python and "python" in python[0] else sys.executable


def _no_such_file(name: str) -> str:
    folder = Path(name).parent
    scripts = [str(path) for path in folder.glob("*.py")] if folder.is_dir() else []
    near = difflib.get_close_matches(name, [path.removeprefix("./") for path in scripts], n=1, cutoff=0.75)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"no file or program named {name}.{hint}"


def lend(interpreter: str, folder: Path) -> str | None:
    """Where another environment's Python does not have firstlight: a folder for its path that holds just that.

    None when the interpreter has it, which is so for the one we run in.
    """
    if os.path.realpath(interpreter) == os.path.realpath(sys.executable) and interpreter == sys.executable:
        return None
    if _imports(interpreter, {}):
        return None
    import msgspec

    import _firstlight_entry
    import firstlight

    folder.mkdir(parents=True, exist_ok=True)
    for home in (
        Path(str(firstlight.__file__)).parent,
        Path(str(msgspec.__file__)).parent,
        Path(_firstlight_entry.__file__),
    ):
        (folder / home.name).symlink_to(home)
    card = folder / "firstlight-0.dist-info"
    card.mkdir()
    (card / "METADATA").write_text("Metadata-Version: 2.1\nName: firstlight\nVersion: 0\n", encoding="utf-8")
    entry = "[torch.backends]\nfirstlight = _firstlight_entry:activate\n"
    (card / "entry_points.txt").write_text(entry, encoding="utf-8")
    if not _imports(interpreter, {"PYTHONPATH": str(folder)}):
        raise UsageError(
            f"{interpreter} has no firstlight and cannot borrow this one (another Python version?). "
            f"Install it there: {interpreter} -m pip install firstlight"
        )
    return str(folder)


def _imports(interpreter: str, extra: dict[str, str]) -> bool:
    command = [interpreter, "-c", "import _firstlight_entry, msgspec"]
    try:
        done = subprocess.run(command, env={**os.environ, **extra}, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
