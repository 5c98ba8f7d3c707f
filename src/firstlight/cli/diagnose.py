"""`firstlight diagnose`: it trains badly; why?"""

import signal
import sys
from pathlib import Path

import click

from firstlight.cli.check import _deliver, _progress, _terminated
from firstlight.recording import exit_code
from firstlight.report import json as json_report
from firstlight.report import terminal
from firstlight.settings import load


@click.command("diagnose", context_settings={"allow_interspersed_args": False})
@click.option("-m", "module", is_flag=True, help="The first word is a module, as in `python -m`.")
@click.option("--symptom", help='What you saw yourself, as in "val loss stuck at 0.69".')
@click.option("--explain-trail", is_flag=True, help="Print every step of the reasoning.")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to a file.")
@click.option("--show-output", is_flag=True, help="Stream what the script prints to standard error.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|RUN [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    module: bool,
    symptom: str | None,
    explain_trail: bool,
    form: str,
    output: Path | None,
    show_output: bool,
    words: tuple[str, ...],
) -> None:
    """Find the cause of bad training by controlled experiments on copies of the script, and prove it where possible.

    \b
    firstlight diagnose train.py --epochs 3
    firstlight diagnose .firstlight/runs/20260101-120000-abc123
    firstlight diagnose --symptom "loss is NaN after 200 steps" train.py
    """
    from firstlight import session
    from firstlight.observe import target as targets
    from firstlight.observe.watch import Eyes

    settings = load(Path.cwd())
    signal.signal(signal.SIGTERM, _terminated)
    if len(words) == 1 and (Path(words[0]) / "events.ndjson").is_file():
        report = session.diagnose_run(Path(words[0]), settings, symptom)
    else:
        target = targets.parse(words, module)
        with _progress(show_output) as tell:
            eyes = Eyes(tell, sys.stderr.buffer if show_output else None, settings.startup_seconds)
            report = session.diagnose(target, settings, eyes, symptom)
    text = (
        json_report.render(report)
        if form == "json"
        else terminal.render(report, colour=output is None and terminal.wants_colour(sys.stdout))
    )
    if explain_trail and form == "terminal":
        text += "\n" + "\n".join(report.trail) + "\n"
    _deliver(text, output)
    context.exit(exit_code(report, settings.strict))
