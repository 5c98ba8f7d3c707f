"""`firstlight replay`: do a captured step again and name the operation that went wrong."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.check import _progress, _terminated
from firstlight.cli.rendering import asked, deliver, form_option, output_option
from firstlight.cli.say import say
from firstlight.errors import UsageError
from firstlight.judge.verdict import exit_code
from firstlight.store import plain_files
from firstlight.store.run_directory import shown

if TYPE_CHECKING:
    from firstlight.guard.replay.replaying import Replaying
    from firstlight.observe.target import Target
    from firstlight.store.artifacts import Artifact


@click.command("replay", short_help="Repeat a step the guard captured, and find the first operation that goes wrong.")
@click.option(
    "--trust", is_flag=True, help="Run the command the artifact names, even if the artifact is not from a run here."
)
@click.option("--startup-seconds", type=click.FloatRange(min=0.1), default=300.0, show_default=True)
@click.option("--repro", type=click.Path(dir_okay=False, path_type=Path), help="Where to write the standalone script.")
@form_option
@output_option
@click.option("--show-output", is_flag=True, help="Stream what the program prints to standard error.")
@click.argument("artifact", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- SCRIPT|COMMAND [ARGS]...]")
@click.pass_context
def command(
    context: click.Context,
    trust: bool,
    startup_seconds: float,
    repro: Path | None,
    form: str,
    output: Path | None,
    show_output: bool,
    artifact: Path,
    words: tuple[str, ...],
) -> None:
    """Run a program up to its first step with the weights, batch and random state of a captured step, contained as in
    `check`, in its own precision and in float32, and say which module and operation made the first bad number.

    \b
    firstlight replay .firstlight/runs/…/artifacts/412-turns-nonfinite
    firstlight replay ARTIFACT -- python train.py --lr 1e-3

    An artifact from a run of yours in this directory is repeated with the program it names. For any other, give the
    program, or agree to the command that is shown. It writes a short script that fails the same way with torch alone.
    Exit code: 1 reproduced, 0 the step is fine, 2 not reproduced or could not be run.
    """
    from firstlight.guard.replay import replaying
    from firstlight.observe.watch import Eyes
    from firstlight.store import artifacts

    found = artifacts.read(artifact)
    target = _target(found, words, trust)
    signal.signal(signal.SIGTERM, _terminated)
    with _progress(show_output) as tell:
        echo = sys.stderr.buffer if show_output else None
        done = replaying.replay(found, target, Eyes(tell, echo, startup_seconds))
    written = _repro(done.repro, repro)
    deliver(asked(done.report), form, output)
    if form == "terminal":
        say(_told(done, written, replaying.shown_command(target)), end="")
    context.exit(exit_code(done.report, strict=False))


def _target(artifact: "Artifact", words: tuple[str, ...], trust: bool) -> "Target":
    """What to run: the user's word, or the artifact's where it is the user's own or the user agrees."""
    from firstlight.guard.replay import replaying
    from firstlight.observe import target as targets

    if words:
        return targets.parse(words, module=False, verb="replay")
    target = replaying.recorded_target(artifact)
    if trust or replaying.is_own(artifact) or _agreed(replaying.shown_command(target)):
        return target
    raise UsageError(
        f"not run: {artifact.folder} does not come from a run of yours here, so it is not trusted. "
        f"It names this command:\n  {replaying.shown_command(target)}\n"
        "If you want to run it, add --trust; otherwise give the program: "
        f"`firstlight replay {artifact.folder} -- python train.py`."
    )


def _agreed(command: str) -> bool:
    """Asked only where somebody is there to answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    say(f"This artifact does not come from a run of yours here. It names this command:\n  {command}", err=True)
    return click.confirm("Run it, contained as in a check?", default=False, err=True)


def _repro(made: Path | None, wanted: Path | None) -> Path | None:
    """Where it lies: in the directory of this replay, or where the user wants it, in place of what is there."""
    if made is None or wanted is None:
        return made
    try:
        wanted.unlink(missing_ok=True)
        plain_files.create(wanted, made.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot write {wanted}: {error.strerror or error}. The script is {made}.") from None
    return wanted


def _told(done: "Replaying", written: Path | None, command: str) -> str:
    lines = [f"  {attempt.precision:<8} {attempt.words}" for attempt in done.attempts]
    lines.append(f"  ran      {command}")
    if written is not None:
        lines.append(f"  repro    python {shown(written)}")
    return "\n".join(lines) + "\n"
