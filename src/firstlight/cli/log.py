"""`firstlight log`: event logs, of firstlight or of one's own."""

from pathlib import Path

import click

from firstlight.cli.rendering import asked, deliver, form_option, output_option, words_in
from firstlight.judge.verdict import exit_code
from firstlight.settings import enabled, load


@click.group("log")
def command() -> None:
    """Work with event logs: files with one JSON object per line."""


@command.command("validate")
@click.argument("path", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE|-")
@click.option(
    "--required",
    metavar="NAME|FILE",
    help="What the log must hold: core, complete, folds, poc, any, or a TOML file. Default: core for logs of "
    "firstlight, any for others.",
)
@click.option("--select", help="Run only these checks: ids or names, separated by commas.")
@click.option("--ignore", help="Skip these checks.")
@click.option("--strict", is_flag=True, default=None, help="Warnings make the exit code 1 too.")
@form_option
@output_option
@click.pass_context
def validate(
    context: click.Context,
    path: Path,
    required: str | None,
    select: str | None,
    ignore: str | None,
    strict: bool | None,
    form: str,
    output: Path | None,
) -> None:
    """Read a log of any size once and say which lines are wrong.

    \b
    firstlight log validate run.ndjson
    firstlight log validate run.ndjson --required events.toml
    zcat run.ndjson.gz | firstlight log validate -

    \b
    A file of rules:
        first = "experiment_start"
        [events.epoch_complete]
        fields = { epoch = "int", train_loss = "number", val_loss = "number?" }
        rising = "epoch"

    Exit code: 0 judged clean (warnings allowed unless --strict), 1 judged ill, 2 could not judge, 3 a fault of
    firstlight.
    """
    from firstlight import logs

    settings = load(Path.cwd(), select=words_in(select), ignore=words_in(ignore), strict=strict)
    checks = enabled(settings)
    report = logs.validate(path, required, checks)
    deliver(asked(report, strict=settings.strict), form, output)
    context.exit(exit_code(report, settings.strict))
