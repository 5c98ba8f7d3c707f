"""`--format` and `--output`, the same on every command that has a report to show."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path

import click

from firstlight.errors import UsageError
from firstlight.records.chronicle import Chronicle
from firstlight.records.report import Report
from firstlight.report.formats import RENDERERS, Asked
from firstlight.report.terminal import wants_colour
from firstlight.store import plain_files
from firstlight.store.run_directory import RunDirectory

form_option = click.option(
    "--format",
    "form",
    type=click.Choice([*RENDERERS, *sorted(entry_points(group="firstlight.formats").names - RENDERERS.keys())]),
    default="terminal",
    show_default=True,
    help="Format of the report.",
)
output_option = click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to a file."
)


def asked(report: Report, *, strict: bool = False) -> Asked:
    """What the run measured comes from its directory, once a format asks for it."""
    run = report.subject.run
    return Asked(report, chronicle=Chronicle if run is None else partial(_chronicle, run), strict=strict)


def _chronicle(run: str) -> Chronicle:
    from firstlight.report.of_run import chronicle_of

    return chronicle_of(RunDirectory(Path(run)))


def deliver(wanted: Asked, form: str, output: Path | None) -> None:
    written(lambda colour: _rendered(replace(wanted, colour=colour), form), output)


def written(text: Callable[[bool], str], output: Path | None) -> None:
    """To the screen, in colour where it takes colour, or to a file that is whole or not there."""
    if output is None:
        click.echo(text(wants_colour(sys.stdout)), nl=False)
        return
    unfinished = output.with_name(output.name + ".partial")
    try:
        unfinished.unlink(missing_ok=True)
        plain_files.create(unfinished, text(False).encode("utf-8", "backslashreplace"))
        unfinished.replace(output)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}.") from None


def _rendered(wanted: Asked, form: str) -> str:
    if form in RENDERERS:
        return RENDERERS[form](wanted)
    from firstlight.plugins import plugins, renderers

    if (made := renderers().get(form)) is not None:
        return made(wanted)
    broken = next((one for one in plugins() if one.name == form and one.problem is not None), None)
    raise UsageError(f"the format `{form}` cannot be used: {broken.problem if broken else 'nothing provides it'}")


def words_in(text: str | None) -> tuple[str, ...] | None:
    """Names separated by commas; None stays None."""
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())
