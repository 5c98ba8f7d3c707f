"""`firstlight mutate`: what is a clean verdict on this program worth?"""

import signal
from pathlib import Path

import click

from firstlight.cli.check import ENGINE, _progress
from firstlight.cli.main import EXIT_INTERRUPTED
from firstlight.cli.rendering import asked, deliver, form_option, output_option, words_in
from firstlight.errors import UsageError
from firstlight.judge.verdict import exit_code
from firstlight.records.report import Report, Verdict
from firstlight.settings import Settings, load

STEPS = 200
"""Of training in each run, unless the user says otherwise: copies are compared over 150 steps."""


@click.command("mutate", context_settings={"allow_interspersed_args": False})
@click.option("-m", "module", is_flag=True, help="Treat the first word as a module, as `python -m` does.")
@click.option("--list", "listed", is_flag=True, help="List the faults, and run nothing.")
@click.option("--only", help="Plant only these faults: names, separated by commas.")
@click.option(
    "--profile",
    type=click.Choice(["quick", "standard", "deep"]),
    help="Judge each copy as `check --profile` does; by default as `standard`, with fewer steps.",
)
@click.option("--steps", type=click.IntRange(min=1), help="Stop each copy after this many training steps.")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="Stop each copy after this many seconds of training.")
@ENGINE
@form_option
@output_option
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|COMMAND [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    module: bool,
    listed: bool,
    only: str | None,
    profile: str | None,
    steps: int | None,
    seconds: float | None,
    engine: str | None,
    form: str,
    output: Path | None,
    words: tuple[str, ...],
) -> None:
    """Plant common faults in copies of a training script, one at a time, and say which of them a check would catch.

    \b
    firstlight mutate train.py --epochs 3
    firstlight mutate --only targets-shifted,layer-cut-off train.py
    firstlight mutate --list

    Exit code: 0 it ran, 1 the script is judged ill as it is, 2 could not judge, 3 a fault of firstlight.
    """
    if listed:
        _list()
        return
    if profile is None and steps is None:
        steps = STEPS
    settings = load(Path.cwd(), profile=profile, steps=steps, seconds=seconds, engine=engine)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what is done is kept
    report, whole = _mutated(words, module, settings, words_in(only))
    if not report.mutants and report.verdict is Verdict.ILL:
        click.echo("firstlight: the program is ill as it is, so no fault was planted. Fix this first:", err=True)
    if report.mutants and not whole:
        click.echo(f"firstlight: interrupted; these {len(report.mutants)} faults were judged:", err=True)
    deliver(asked(report, strict=settings.strict), form, output)
    if report.mutants:
        context.exit(0 if whole else EXIT_INTERRUPTED)
    context.exit(exit_code(report, settings.strict) or EXIT_INTERRUPTED)


def _mutated(
    words: tuple[str, ...], module: bool, settings: Settings, only: tuple[str, ...] | None
) -> tuple[Report, bool]:
    """The report, and whether every fault was judged."""
    from firstlight import mutation
    from firstlight.observe import target as targets
    from firstlight.observe.watch import Eyes

    faults = mutation.chosen(only)
    if words and not module and targets.is_declaration(words[0]):
        raise UsageError(f"`{words[0]}` is a declared experiment; faults are planted in scripts only.")
    target = targets.parse(words, module, "mutate")
    with _progress(show_output=False) as tell:
        report = mutation.mutate(target, settings, Eyes(tell, None, settings.startup_seconds), faults)
    return report, len(report.mutants) == len(faults)


def _list() -> None:
    from firstlight.experiments.faults import FAULTS

    widest = max(len(fault.name) for fault in FAULTS)
    for fault in FAULTS:
        click.echo(f"{fault.flow:10} {fault.name:{widest}}  {fault.does} ({', '.join(fault.causes)})")
