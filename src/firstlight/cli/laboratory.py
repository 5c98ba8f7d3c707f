"""What every verb of the lab has: its options, its progress, and the way its answer is delivered."""

import functools
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from firstlight.cli.check import ENGINE, _progress
from firstlight.cli.main import EXIT_INTERRUPTED
from firstlight.cli.rendering import written
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport
from firstlight.report.lab import RENDERERS
from firstlight.settings import load

if TYPE_CHECKING:
    from firstlight.lab.copies import Workbench
    from firstlight.lab.keeping import LabRun
    from firstlight.observe.target import Target

Command = TypeVar("Command", bound=Callable[..., Any])
FORM = click.option(
    "--format",
    "form",
    type=click.Choice(list(RENDERERS)),
    default="terminal",
    show_default=True,
    help="Format of the answer.",
)
OUTPUT = click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the answer to a file.")
MODULE = click.option("-m", "module", is_flag=True, help="Treat the first word as a module, as `python -m` does.")


def delivered(command: Callable[..., LabReport]) -> Callable[..., None]:
    """The report that a verb gives is written as its user likes it; the exit code says whether all of it is there."""

    @FORM
    @OUTPUT
    @click.pass_context
    @functools.wraps(command)
    def deliver(context: click.Context, /, form: str, output: Path | None, **asked: Any) -> None:
        report = command(**asked)
        written(lambda colour: RENDERERS[form](report, colour), output)
        context.exit(EXIT_INTERRUPTED if report.left else 0)

    return deliver


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """In this order."""

    def given(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return given


def on_copies(steps: int, least: int) -> Callable[[Command], Command]:
    """The options of a verb that trains copies of a script, each for so many steps."""
    return with_options(
        MODULE,
        click.option(
            "--steps", type=click.IntRange(min=least), default=steps, show_default=True, help="Steps per training."
        ),
        click.option("--seconds", type=click.FloatRange(min=0.1), help="Stop each training after this many seconds."),
        ENGINE,
        click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|COMMAND [ARGS]..."),
    )


@contextmanager
def interruptible() -> Iterator[Callable[[str], None]]:
    """Told of progress while it lasts. A request to end counts as Ctrl-C, so that what is done is kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with _progress(show_output=False) as tell:
        yield tell


def script(words: tuple[str, ...], module: bool, verb: str) -> "Target":
    from firstlight.observe import target as targets

    if words and not module and targets.is_declaration(words[0]):
        raise UsageError(f"`{words[0]}` is a declared experiment; `firstlight {verb}` takes a script.")
    return targets.parse(words, module, verb)


def asked_of_copies(
    verb: str,
    ask: "Callable[[Workbench, LabRun], LabReport]",
    words: tuple[str, ...],
    module: bool,
    *,
    steps: int,
    seconds: float | None,
    engine: str | None,
    taps: tuple[str, ...] = ("loaders",),
    also: str | None = None,
) -> LabReport:
    """What a verb finds out on copies of a script, kept in a run directory.

    `also` is whatever else its copies depend on.
    """
    from firstlight.lab.copies import Workbench
    from firstlight.lab.journal import LabJournal
    from firstlight.lab.keeping import kept
    from firstlight.observe.watch import Eyes

    settings = load(Path.cwd(), steps=steps, seconds=seconds, engine=engine)
    target = script(words, module, verb)
    folder = Path(target.file).parent if target.file is not None else None
    options = {"steps": steps, "seconds": settings.budget.seconds, "also": also}
    with interruptible() as tell, kept(target.words) as where:
        journal = LabJournal.of(verb, target.words, options, folder)
        eyes = Eyes(tell, None, settings.startup_seconds)
        report = ask(Workbench(target, settings, eyes, where.run, journal, steps, taps), where)
        if not report.left:
            journal.clear()
        return where.finish(report)
