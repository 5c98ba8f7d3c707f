"""`firstlight replay`: do a captured step again and name the operation that went wrong."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.check import _progress, _terminated
from firstlight.cli.rendering import asked, deliver, form_option, output_option
from firstlight.judge.verdict import exit_code

if TYPE_CHECKING:
    from firstlight.guard.replay.replaying import Replaying


@click.command(
    "replay",
    context_settings={"allow_interspersed_args": True, "ignore_unknown_options": True},
    short_help="Do a step the guard captured again, and find the first operation that goes wrong.",
)
@click.option("--script", type=click.Path(dir_okay=False), help="The program; by default the one that was captured.")
@click.option("--startup-seconds", type=click.FloatRange(min=0.1), default=300.0, show_default=True)
@click.option("--repro", type=click.Path(dir_okay=False, path_type=Path), help="Where to write the standalone script.")
@form_option
@output_option
@click.option("--show-output", is_flag=True, help="Stream what the program prints to standard error.")
@click.argument("artifact", type=click.Path(path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    script: str | None,
    startup_seconds: float,
    repro: Path | None,
    form: str,
    output: Path | None,
    show_output: bool,
    artifact: Path,
    arguments: tuple[str, ...],
) -> None:
    """Run a program up to its first step with the weights, batch and random state of a captured one, contained as in
    `check`, in its own precision and in float32, and say which module and operation made the first bad number.

    \b
    firstlight replay .firstlight/runs/…/artifacts/412-turns-nonfinite
    firstlight replay ARTIFACT --script train.py -- --lr 1e-3

    Beside it a script of a few lines is written that fails the same way with torch alone.
    Exit code: 1 reproduced, 0 the step is sound, 2 not reproduced or could not be run.
    """
    from firstlight.guard.replay import replaying
    from firstlight.observe.watch import Eyes
    from firstlight.store import artifacts

    found = artifacts.read(artifact)
    target = replaying.target_of(found, script, arguments)
    signal.signal(signal.SIGTERM, _terminated)
    with _progress(show_output) as tell:
        echo = sys.stderr.buffer if show_output else None
        done = replaying.replay(found, target, Eyes(tell, echo, startup_seconds))
    written = _repro(done.repro, repro or artifact / "repro.py")
    deliver(asked(done.report), form, output)
    if form == "terminal":
        click.echo(_told(done, written, replaying.shown_command(target)), nl=False)
    context.exit(exit_code(done.report, strict=False))


def _repro(made: Path | None, wanted: Path) -> Path | None:
    if made is None:
        return None
    try:
        wanted.write_bytes(made.read_bytes())
    except OSError:
        return made
    return wanted


def _told(done: "Replaying", written: Path | None, command: str) -> str:
    lines = [f"  {attempt.precision:<8} {attempt.words}" for attempt in done.attempts]
    lines.append(f"  ran      {command}")
    if written is not None:
        lines.append(f"  repro    python {written}")
    return "\n".join(lines) + "\n"
