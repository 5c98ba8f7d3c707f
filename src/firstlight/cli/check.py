"""`firstlight check`: is this worth starting?"""

import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import click

from firstlight.cli.rendering import asked, deliver, form_option, output_option, words_in
from firstlight.settings import load


@click.command(
    "check",
    context_settings={"allow_interspersed_args": False},
    short_help="Run a training script under observation and judge it.",
)
@click.option("-m", "module", is_flag=True, help="The first word is a module, as in `python -m`.")
@click.option(
    "--profile",
    type=click.Choice(["quick", "standard", "deep"]),
    help="How long to look: about 10 s, 30 s, or minutes.",
)
@click.option("--steps", type=click.IntRange(min=1), help="Stop after so many training steps.")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="Stop so many seconds after the first backward.")
@click.option("--startup-seconds", type=click.FloatRange(min=0.1), help="Give up when no training began by then.")
@click.option("--select", help="Only these checks: ids or names, separated by commas.")
@click.option("--ignore", help="Not these checks.")
@click.option("--strict", is_flag=True, default=None, help="Warnings make the verdict ill for the exit code.")
@form_option
@output_option
@click.option("--show-output", is_flag=True, help="Stream what the script prints to standard error.")
@click.option("--no-contain", is_flag=True, help="Let the script write its files for real.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|COMMAND [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    module: bool,
    profile: str | None,
    steps: int | None,
    seconds: float | None,
    startup_seconds: float | None,
    select: str | None,
    ignore: str | None,
    strict: bool | None,
    form: str,
    output: Path | None,
    show_output: bool,
    no_contain: bool,
    words: tuple[str, ...],
) -> None:
    """Run a training script, unmodified, for a bounded number of steps, and say what is wrong and on which line.

    \b
    firstlight check train.py --epochs 100
    firstlight check -m package.train --lr 1e-3
    firstlight check -- torchrun --nproc_per_node=2 train.py

    Exit code: 0 judged clean, 1 judged ill, 2 could not judge, 3 a fault of firstlight.
    """
    from firstlight import session
    from firstlight.observe import target as targets
    from firstlight.observe.watch import Eyes

    settings = load(
        Path.cwd(),
        profile=profile,
        steps=steps,
        seconds=seconds,
        startup_seconds=startup_seconds,
        select=words_in(select),
        ignore=words_in(ignore),
        strict=strict,
        contain=False if no_contain else None,
    )
    target = targets.parse(words, module)
    signal.signal(signal.SIGTERM, _terminated)
    with _progress(show_output) as tell:
        echo = sys.stderr.buffer if show_output else None
        report = session.check(target, settings, Eyes(tell, echo, settings.startup_seconds))
    deliver(asked(report, strict=settings.strict), form, output)
    context.exit(session.exit_code(report, settings.strict))


def _terminated(number: int, _frame: object) -> None:
    """Ends as on Ctrl-C: the script and its files are cleaned up on the way out."""
    raise SystemExit(128 + number)


def _progress(show_output: bool) -> "nullcontext[Callable[[str], None]] | _Status":
    """A line that rewrites itself, only on a terminal and only when the script's own output is not there too."""
    if show_output or not sys.stderr.isatty():
        return nullcontext(lambda _text: None)
    return _Status()


class _Status:
    def __enter__(self) -> Callable[[str], None]:
        from rich.console import Console

        self._status = Console(stderr=True).status("starting the script …")
        self._status.start()
        return self._status.update

    def __exit__(self, *_: object) -> None:
        self._status.stop()
