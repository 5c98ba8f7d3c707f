"""`firstlight rehearse`: does all of it work, down to the last line?"""

import signal
from pathlib import Path

import click

from firstlight.cli.check import _progress, _terminated
from firstlight.cli.rendering import asked, deliver, form_option, output_option
from firstlight.judge.verdict import exit_code
from firstlight.settings import load


@click.command("rehearse", context_settings={"allow_interspersed_args": False})
@click.option("-m", "module", is_flag=True, help="Treat the first word as a module, as `python -m` does.")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="Time for one attempt, after its first backward.  [15]")
@click.option("--startup-seconds", type=click.FloatRange(min=0.1), help="Give up if no training has begun by then.")
@form_option
@output_option
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|COMMAND [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    module: bool,
    seconds: float | None,
    startup_seconds: float | None,
    form: str,
    output: Path | None,
    words: tuple[str, ...],
) -> None:
    """Run the whole script in seconds: every training loop ends after a few rounds, so that evaluation, checkpoints,
    later stages and the last line are reached. What it writes is kept out of your directories.

    \b
    firstlight rehearse train.py --epochs 100
    firstlight rehearse -m package.train
    firstlight rehearse torchrun --nproc_per_node 8 train.py    (the script, as one process)

    Exit code: 0 the last line was reached, 1 it crashed, 2 it could not be observed, 3 a fault of firstlight.
    """
    from firstlight import session
    from firstlight.observe import target as targets
    from firstlight.observe.watch import Eyes

    settings = load(Path.cwd(), seconds=seconds, startup_seconds=startup_seconds)
    signal.signal(signal.SIGTERM, _terminated)
    with _progress(show_output=False) as tell:
        report = session.rehearse(targets.parse(words, module, "rehearse"), settings, Eyes(tell))
    deliver(asked(report, strict=settings.strict), form, output)
    context.exit(exit_code(report, settings.strict))
