"""`firstlight check`: is this worth starting?"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, get_args

import click

from firstlight.cli.rendering import asked, deliver, form_option, output_option, words_in
from firstlight.errors import UsageError
from firstlight.judge.verdict import exit_code
from firstlight.records import wire
from firstlight.records.report import Report
from firstlight.settings import EngineName, Settings, load

if TYPE_CHECKING:
    from firstlight.observe.target import Target

ENGINE = click.option(
    "--engine",
    type=click.Choice(get_args(EngineName)),
    help="How to run experiments: copies forked at the first batch, fresh runs, or Ray tasks.",
)


@click.command(
    "check",
    context_settings={"allow_interspersed_args": False},
    short_help="Run a training script under observation and judge it.",
)
@click.option("-m", "module", is_flag=True, help="Treat the first word as a module, as `python -m` does.")
@click.option(
    "--profile",
    type=click.Choice(["quick", "standard", "deep"]),
    help="How long to watch: about 10 s, 30 s, or minutes.",
)
@click.option("--steps", type=click.IntRange(min=1), help="Stop after this many training steps.")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="Stop this many seconds after the first backward.")
@click.option("--startup-seconds", type=click.FloatRange(min=0.1), help="Give up if no training has begun by then.")
@click.option("--select", help="Run only these checks: ids or names, separated by commas.")
@click.option("--ignore", help="Skip these checks.")
@ENGINE
@click.option("--strict", is_flag=True, default=None, help="Warnings make the exit code 1 too.")
@form_option
@output_option
@click.option("--show-output", is_flag=True, help="Stream what the script prints to standard error.")
@click.option("--no-contain", is_flag=True, help="Let the script really write its files.")
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
    engine: str | None,
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
    firstlight check package.train:experiment      # a declared firstlight.Experiment

    Exit code: 0 judged clean, 1 judged ill, 2 could not judge, 3 a fault of firstlight.
    """
    from firstlight.observe import target as targets

    settings = load(
        Path.cwd(),
        profile=profile,
        steps=steps,
        seconds=seconds,
        startup_seconds=startup_seconds,
        select=words_in(select),
        ignore=words_in(ignore),
        strict=strict,
        engine=engine,
        contain=False if no_contain else None,
    )
    signal.signal(signal.SIGTERM, _terminated)
    echo = sys.stderr.buffer if show_output else None
    with _progress(show_output) as tell:
        if words and not module and targets.is_declaration(words[0]):
            tell("probing the experiment")
            report = _experiment(words, settings, echo)
        else:
            report = _script(targets.parse(words, module), settings, tell, echo)
    deliver(asked(report, strict=settings.strict), form, output)
    context.exit(exit_code(report, settings.strict))


def _script(target: "Target", settings: Settings, tell: Callable[[str], None], echo: IO[bytes] | None) -> Report:
    from firstlight import session
    from firstlight.observe.watch import Eyes

    return session.check(target, settings, Eyes(tell, echo, settings.startup_seconds))


def _experiment(words: tuple[str, ...], settings: Settings, echo: IO[bytes] | None) -> Report:
    """In a process of its own, which imports the module and what it needs."""
    import tempfile

    import msgspec

    from firstlight.observe.process import Script, popen
    from firstlight.observe.traceback import message_of, site_of

    with tempfile.TemporaryDirectory(prefix="fl-") as folder:
        answer = Path(folder) / "report.json"
        chosen = msgspec.json.encode(settings).decode()
        command = (sys.executable, "-m", "firstlight.declaration", words[0], chosen, str(answer), *words[1:])
        process = Script(popen(command, os.environ, str(Path.cwd())), Path(folder) / "output.log", echo)
        try:
            process.wait(lambda: False)
        finally:
            process.end()
        if not answer.exists():
            said = process.output.lines()
            site = site_of(said, Path.cwd())
            where = f" ({site.file}:{site.line})" if site is not None else ""
            raise UsageError(f"{words[0]} cannot be loaded: {message_of(said)}{where}")
        return wire.decode(answer.read_bytes(), Report)


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
