"""What every verb of the lab has: its options, its progress, and the way its answer is delivered."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from firstlight.cli.check import _progress
from firstlight.cli.rendering import written
from firstlight.records.lab import LabReport
from firstlight.report.lab import RENDERERS

EXIT_INTERRUPTED = 130
lab_form = click.option(
    "--format",
    "form",
    type=click.Choice(list(RENDERERS)),
    default="terminal",
    show_default=True,
    help="How the answer is written.",
)
lab_output = click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the answer to a file."
)
lab_module = click.option("-m", "module", is_flag=True, help="The first word is a module, as in `python -m`.")


@contextmanager
def interruptible() -> Iterator[Callable[[str], None]]:
    """Told of progress while it lasts. A request to end counts as Ctrl-C, so that what is done is kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with _progress(show_output=False) as tell:
        yield tell


def deliver_lab(context: click.Context, report: LabReport, form: str, output: Path | None) -> None:
    """The answer, and an exit code that says whether all of it is there."""
    written(lambda colour: RENDERERS[form](report, colour), output)
    context.exit(EXIT_INTERRUPTED if report.left else 0)
