"""`firstlight report`: what was said of a run, again, in any format."""

from dataclasses import replace
from pathlib import Path

import click

from firstlight.cli.rendering import asked, deliver, form_option, output_option, written
from firstlight.errors import UsageError
from firstlight.remains import report_of
from firstlight.report import lab
from firstlight.report.of_run import chronicle_of
from firstlight.settings import load
from firstlight.store.run_directory import RunDirectory


@click.command("report")
@click.argument("word", metavar="[RUN]", default="last")
@form_option
@output_option
@click.option("--open", "opens", is_flag=True, help="Show the page in a browser.")
def command(word: str, form: str, output: Path | None, opens: bool) -> None:
    """Show the report of a run again. RUN is its directory, its id or the start of its id, or `last`.

    \b
    firstlight report --open                       # the page of the newest run, in a browser
    firstlight report last --format markdown       # for a comment on a pull request
    firstlight report 20260101-120000-abc123 --format sarif --output run.sarif

    Nothing is run. For a run that was killed before it was judged, its log is judged. The exit code is 0 whatever the
    verdict.
    """
    run = RunDirectory.find(Path.cwd(), word)
    if lab.is_of_lab(run):
        _show_lab(run, form, output, opens)
        return
    report = report_of(run, load(Path.cwd()))
    wanted = replace(asked(report), chronicle=lambda: chronicle_of(run))
    if not opens:
        deliver(wanted, form, output)
        return
    page = output or run.page
    deliver(wanted, "html", page)
    _open(page)


def _show_lab(run: RunDirectory, form: str, output: Path | None, opens: bool) -> None:
    """The answer of a verb of the lab, which has fewer formats."""
    if opens:
        form, output = "html", output or run.path / lab.PAGE
    if form not in lab.RENDERERS:
        raise UsageError(f"{run.path} is a lab run, whose formats are {', '.join(lab.RENDERERS)}.")
    report = lab.of_run(run)
    written(lambda colour: lab.RENDERERS[form](report, colour), output)
    if opens and output is not None:
        _open(output)


def _open(page: Path) -> None:
    import webbrowser

    if not webbrowser.open(page.absolute().as_uri()):
        raise UsageError(f"no browser could be started here. The page is {page}.")
