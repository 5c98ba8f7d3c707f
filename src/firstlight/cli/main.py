"""The `firstlight` command: finds the subcommand, and turns every ending into a message and an exit code.

Subcommands are imported when they are called, not before: `firstlight --help` pays for none of them.
"""

import contextlib
import errno
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from firstlight import __version__
from firstlight.errors import FirstlightError, UsageError

EXIT_UNJUDGED = 2
EXIT_FAULT = 3
EXIT_INTERRUPTED = 130
EXIT_NOBODY_READS = 141
"""What a shell reports for a program ended by SIGPIPE."""
MOST_OF_A_NAME = 80
"""Characters of a file's name that a message repeats."""
DEBUG = "FIRSTLIGHT_DEBUG"
COMPLETION = "_FIRSTLIGHT_COMPLETE"
"""Set by the shell functions that click writes for completion."""


@dataclass(frozen=True, slots=True)
class Lazy:
    target: str
    """`module:attribute` of the click command."""
    summary: str


COMMANDS: dict[str, Lazy] = {
    "check": Lazy("firstlight.cli.check:command", "Run a training script briefly and say what is wrong with it."),
    "rehearse": Lazy("firstlight.cli.rehearse:command", "Run the whole script in seconds: does it reach its end?"),
    "run": Lazy("firstlight.cli.run:command", "Check a script, then run it for real with every step watched."),
    "replay": Lazy("firstlight.cli.replay:command", "Repeat a step the guard captured, and find what went wrong."),
    "diagnose": Lazy("firstlight.cli.diagnose:command", "Find why a script trains badly, by experiments on it."),
    "mutate": Lazy(
        "firstlight.cli.mutate:command", "Plant faults in copies of a script: what is a clean verdict worth?"
    ),
    "lr-find": Lazy("firstlight.cli.lr_find:command", "Find the learning rate, on copies of a script."),
    "curve": Lazy("firstlight.cli.curve:command", "Predict what more data or more steps would bring."),
    "against": Lazy("firstlight.cli.against:command", "Find where an implementation differs from a reference."),
    "surface": Lazy("firstlight.cli.surface:command", "Draw the loss around the weights, or a loss function alone."),
    "ceiling": Lazy("firstlight.cli.ceiling:command", "Say how low the loss can get, and what is in the way."),
    "compare": Lazy("firstlight.cli.compare:command", "Run variants with the same seeds: better, or lucky?"),
    "seeds": Lazy("firstlight.cli.seeds:command", "Run a script with several seeds: how much of its result is luck?"),
    "ablate": Lazy("firstlight.cli.ablate:command", "Switch off parts of a training, one at a time: what matters?"),
    "bisect": Lazy("firstlight.cli.bisect:command", "Find the difference between good and bad that makes it bad."),
    "lint": Lazy("firstlight.cli.lint:command", "Find silent training bugs in sources, without running them."),
    "data": Lazy("firstlight.cli.data:command", "Judge tables and images before you train on them."),
    "log": Lazy("firstlight.cli.log:command", "Validate an event log of any size."),
    "report": Lazy("firstlight.cli.report:command", "Show the report of an earlier run again, in any format."),
    "tape": Lazy("firstlight.cli.tape:command", "Show the operations between data and loss of a checked script."),
    "watch": Lazy("firstlight.cli.watch:command", "Follow a run from another terminal."),
    "serve": Lazy("firstlight.cli.serve:command", "Show all runs in the browser, live."),
    "export": Lazy("firstlight.cli.export:command", "Write a run's curves, findings and report to a tracker."),
    "explain": Lazy("firstlight.cli.explain:command", "Explain a check or a cause: what it sees, when it is fine."),
    "plugins": Lazy("firstlight.cli.plugins:command", "List what other packages add, and what failed to load."),
    "checks": Lazy("firstlight.cli.checks:command", "List the checks."),
    "doctor": Lazy("firstlight.cli.doctor:command", "Say whether checks can run on this machine and environment."),
    "demo": Lazy("firstlight.cli.demo:command", "Catch a real bug in a bundled example, and pass its fixed twin."),
    "schema": Lazy("firstlight.cli.schema:command", "Print the JSON Schema of what firstlight writes."),
    "docs": Lazy("firstlight.cli.docs:command", "Write the generated pages of firstlight's own repository."),
}


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].target.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UsageError(_no_such_command(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in COMMANDS.items()])


def _no_such_command(word: str) -> str:
    import difflib

    if word.endswith(".py"):
        return f"`{word}` is not a command. To check that script: `firstlight check {word}`."
    near = difflib.get_close_matches(word.lower(), COMMANDS, n=1, cutoff=0.5)
    meant = f" Did you mean `{near[0]}`?" if near else ""
    return f"`{word}` is not a command.{meant} `firstlight --help` lists them."


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="firstlight")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Finds what is broken in a training program before you spend machine time on it.

    `firstlight check train.py ARGS` runs the script as Python would, watches its first steps, and names what is wrong
    on the line where it is wrong. It ends with 0 (clean), 1 (ill), 2 (could not judge) or 3 (a fault of firstlight).
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    sys.exit(run(arguments))


def _invoke(arguments: list[str]) -> object:
    """Not `cli.main`: that ends with 1, "judged ill", when nobody reads the output."""
    if COMPLETION in os.environ:
        return cli.main(arguments, prog_name="firstlight")
    try:
        with cli.make_context("firstlight", arguments) as ctx:
            return cli.invoke(ctx)
    except click.exceptions.Exit as ended:
        return ended.exit_code


def run(arguments: Sequence[str] | None = None, command: Callable[[list[str]], object] = _invoke) -> int:
    """The exit code of one command line. A command may return its code or exit with it."""
    try:
        _have_streams()
        ended = command(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except FirstlightError as problem:
        _say(f"firstlight: {problem}")
        return EXIT_UNJUDGED
    except click.ClickException as problem:
        shown = io.StringIO()
        problem.show(shown)
        _say(shown.getvalue().rstrip("\n"))
        return EXIT_UNJUDGED  # click's own default is 1, which here means "judged ill"
    except (KeyboardInterrupt, click.Abort):
        _say("firstlight: interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return EXIT_NOBODY_READS
    except Exception as problem:  # noqa: BLE001 (the last resort: a fault of ours is told in one line, never as a traceback)
        why = _not_ours(problem)
        if why is None:
            return _own_fault(problem)
        _stop_writing()
        _say(f"firstlight: {why}")
        return EXIT_UNJUDGED
    return ended if isinstance(ended, int) else 0


def _say(text: str) -> None:
    """What cannot be told must not cost the exit code."""
    from firstlight.cli.say import say

    with contextlib.suppress(OSError):
        say(text, err=True)


def _have_streams() -> None:
    """A stream that was closed leads nowhere from here on; else the next file to be opened would take its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def _not_ours(problem: Exception) -> str | None:
    """In words, where it is no fault of ours: a full disk, a working directory that is gone, an impossible name."""
    if not isinstance(problem, OSError):
        return None
    if problem.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return f"{str(problem.filename)[:MOST_OF_A_NAME]} … leads to no file: {problem.strerror}."
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left{f' for {problem.filename}' if problem.filename else ' where the output goes'}."
    try:
        Path.cwd()
    except FileNotFoundError:
        return "the working directory no longer exists. Change to one that does."
    return None


def _stop_writing() -> None:
    """The interpreter flushes stdout on its way out, and would complain there about the closed pipe."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _own_fault(problem: Exception) -> int:
    import traceback

    text = "".join(traceback.format_exception(problem))
    saved = None if os.environ.get(DEBUG) == "1" else _saved(text)
    more = f"The traceback is in {saved}." if saved else f"The traceback follows.\n{text}"
    said = " ".join(str(problem).split())
    _say(f"firstlight: a fault of firstlight, not of your program: {type(problem).__name__}: {said} {more}".rstrip())
    return EXIT_FAULT


def _saved(text: str) -> str | None:
    import platform
    import tempfile

    header = f"firstlight {__version__} · Python {platform.python_version()} · {platform.platform()}\n{sys.argv}\n\n"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="firstlight-fault-", suffix=".txt", encoding="utf-8", errors="replace", delete=False
        ) as file:
            file.write(header + text)
    except OSError:
        return None
    return file.name
