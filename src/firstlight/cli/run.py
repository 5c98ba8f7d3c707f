"""`firstlight run`: check, then the real run, guarded."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from firstlight.cli.check import _progress, _terminated
from firstlight.cli.rendering import words_in
from firstlight.cli.say import say
from firstlight.report import terminal
from firstlight.settings import Settings, load

if TYPE_CHECKING:
    from firstlight.guard.run.guarding import Choices
    from firstlight.observe.target import Target
    from firstlight.records.report import Report

SINKS = ("stdout", "tensorboard", "wandb", "mlflow")


@click.command(
    "run",
    context_settings={"allow_interspersed_args": False},
    short_help="Check a training script, then run it for real under guard.",
)
@click.option("-m", "module", is_flag=True, help="Treat the first word as a module, as `python -m` does.")
@click.option("--no-check", is_flag=True, help="Start at once, without a check.")
@click.option(
    "--profile",
    type=click.Choice(["quick", "standard", "deep"]),
    help="How long the check watches: about 10 s, 30 s, or minutes.",
)
@click.option(
    "--on-red",
    default="warn",
    show_default=True,
    metavar="warn|stop|MODULE:FUNCTION",
    help="What a red flag does: warn, end the run, or call a function with the trip and the guard.",
)
@click.option(
    "--keep",
    type=click.Choice(["off", "host", "device"]),
    default="off",
    show_default=True,
    help="Where to keep copies of the last good weights and optimizer state, for a replay.",
)
@click.option("--keep-every", type=click.IntRange(min=1), default=10, show_default=True, help="Steps between copies.")
@click.option(
    "--sink", "sinks", type=click.Choice(SINKS), multiple=True, help="Where to write the numbers besides the log."
)
@click.option("--ignore", help="Skip these checks, before and during the run.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|COMMAND [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    module: bool,
    no_check: bool,
    profile: str | None,
    on_red: str,
    keep: Literal["off", "host", "device"],
    keep_every: int,
    sinks: tuple[str, ...],
    ignore: str | None,
    words: tuple[str, ...],
) -> None:
    """Check a training script for some seconds; if nothing is wrong, run it for real, to its end, and watch every step.
    The script keeps its own input, output, files and signals.

    \b
    firstlight run train.py --epochs 100
    firstlight run --on-red stop -m package.train --lr 1e-3
    firstlight run --no-check -- torchrun --nproc_per_node=2 train.py

    Exit code: the program's own if it is not 0; otherwise 1 if ill, 0 if not. If the check is ill, nothing is started.
    """
    from firstlight.guard.run import guarding
    from firstlight.observe import target as targets

    target = targets.parse(words, module, "run")
    chosen = guarding.Choices(
        on_red=on_red, keep=keep, keep_every=keep_every, ignore=words_in(ignore) or (), sinks=sinks
    )
    _validated(chosen, target)
    if not no_check:
        settings = load(Path.cwd(), profile=profile, ignore=words_in(ignore))
        code = _check_if_it_can(target, settings)
        if code is not None:
            context.exit(code)
    done = guarding.run(target, chosen)
    say(_ending(done.report), err=True, end="")
    context.exit(done.code)


def _validated(chosen: "Choices", target: "Target") -> None:
    """Before anything is started: inside the program a mistake would be found when it is running."""
    from firstlight.guard.judging import live_checks
    from firstlight.guard.run.callbacks import found

    live_checks(chosen.ignore, Path.cwd())
    if ":" in chosen.on_red:
        found(chosen.on_red, Path.cwd() if target.file is None else Path(target.file).parent)


def _check_if_it_can(target: "Target", settings: Settings) -> int | None:
    """A disk without room for a check is no reason not to start."""
    from firstlight.errors import LogError, PlaceError
    from firstlight.store.room import claim

    try:
        claim(Path.cwd())
        return _check(target, settings)
    except (OSError, LogError, PlaceError) as error:
        sys.stderr.write(f"firstlight: the check failed to run ({error}); starting without it\n")
        return None


def _check(target: "Target", settings: Settings) -> int | None:
    """The exit code where the run is not to be started."""
    from firstlight import session
    from firstlight.observe.watch import Eyes
    from firstlight.records.report import Verdict

    handler = signal.signal(signal.SIGTERM, _terminated)
    with _progress(False) as tell:
        report = session.check(target, settings, Eyes(tell, None, settings.startup_seconds))
    signal.signal(signal.SIGTERM, handler)
    if report.verdict is not Verdict.CLEAN:
        sys.stderr.write(terminal.render(report, colour=terminal.wants_colour(sys.stderr)) + "\n")
    if report.verdict is Verdict.ILL:
        say("firstlight: not started. To start it anyway: firstlight run --no-check …", err=True)
        return 1
    said = {Verdict.CLEAN: "the check is clean", Verdict.UNJUDGED: "the check could not judge it"}
    steps = report.coverage.steps
    told = said.get(report.verdict, "the check has warnings")
    say(f"firstlight: {told} ({steps} steps, {report.coverage.seconds:.0f} s); starting", err=True)
    return None


def _ending(report: "Report") -> str:
    """In a few lines: the flags were told when they went up."""
    flags = [finding for finding in report.findings if finding.severity.value != "note"]
    told = f"{len(flags)} red flag{'' if len(flags) == 1 else 's'}" if flags else "no red flag"
    watched = f"{report.coverage.steps} steps watched, {told}"
    lines = [f"firstlight: {report.coverage.ended}; {f'not judged: {report.reason}' if report.reason else watched}"]
    lines += [f"  {finding.id} {finding.name}, step {finding.where.step}: {finding.saw}" for finding in flags]
    lines += [f"  lost     {text}" for text in report.coverage.limits]
    if report.subject.run is not None:
        lines += [f"  kept in  {report.subject.run}", f"  page     {terminal.page(report.subject)}"]
    return "\n".join(lines) + "\n"
