"""`firstlight diagnose`: it trains badly; why?"""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import click

from firstlight.cli.check import ENGINE, _progress, _terminated
from firstlight.cli.rendering import asked, deliver, form_option, output_option
from firstlight.errors import UsageError
from firstlight.judge.verdict import exit_code
from firstlight.records.report import Report
from firstlight.settings import Settings, load
from firstlight.store.run_directory import RunDirectory


@click.command("diagnose", context_settings={"allow_interspersed_args": False})
@click.option("-m", "module", is_flag=True, help="Treat the first word as a module, as `python -m` does.")
@click.option("--symptom", help='What you saw yourself, such as "val loss stuck at 0.69".')
@click.option(
    "--from",
    "origin",
    help="Curves of a run made without firstlight: csv:FILE, tensorboard:DIR, wandb:DIR, mlflow:RUN.",
)
@ENGINE
@click.option("--explain-trail", is_flag=True, help="Print every step of the reasoning.")
@form_option
@output_option
@click.option("--show-output", is_flag=True, help="Stream what the script prints to standard error.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|RUN [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    module: bool,
    symptom: str | None,
    origin: str | None,
    engine: str | None,
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
    firstlight diagnose --from csv:lightning_logs/version_0/metrics.csv
    """
    from firstlight import remains, session
    from firstlight.observe import target as targets
    from firstlight.observe.watch import Eyes

    settings = load(Path.cwd(), engine=engine)
    signal.signal(signal.SIGTERM, _terminated)
    if origin is not None:
        report = _from_curves(origin, words, settings, symptom)
    elif len(words) == 1 and os.path.lexists(Path(words[0]) / "events.ndjson"):
        report = remains.diagnose(RunDirectory(Path(words[0])), settings, symptom)
    else:
        target = targets.parse(words, module, "diagnose")
        with _progress(show_output) as tell:
            eyes = Eyes(tell, sys.stderr.buffer if show_output else None, settings.startup_seconds)
            report = session.diagnose(target, settings, eyes, symptom)
    deliver(replace(asked(report, strict=settings.strict), trail=explain_trail), form, output)
    context.exit(exit_code(report, settings.strict))


def _from_curves(origin: str, words: tuple[str, ...], settings: Settings, symptom: str | None) -> Report:
    from firstlight import hindsight, session
    from firstlight.integrations import origins

    if words:
        raise UsageError(f"--from reads {origin} and runs nothing; it cannot be combined with `{' '.join(words)}`")
    return hindsight.diagnose_curves(origins.read(origin), settings, session.understood(symptom))
