"""`firstlight ceiling`: how low could the loss get, and what is in the way?"""

from pathlib import Path

import click

from firstlight.cli.check import ENGINE
from firstlight.cli.laboratory import asked_of_copies, deliver_lab, lab_form, lab_module, lab_output

STEPS = 300


@click.command("ceiling", context_settings={"allow_interspersed_args": False})
@lab_module
@click.option("--steps", type=click.IntRange(min=20), default=STEPS, show_default=True, help="Length of a training.")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="Stop each training after so many seconds.")
@ENGINE
@lab_form
@lab_output
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|COMMAND [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    module: bool,
    steps: int,
    seconds: float | None,
    engine: str | None,
    form: str,
    output: Path | None,
    words: tuple[str, ...],
) -> None:
    """Measure how low the loss of a script can get, and name what keeps it from there.

    \b
    firstlight ceiling train.py --epochs 3
    firstlight ceiling --steps 1000 train.py

    Exit code: 0 it answered, 2 it could not, 130 interrupted: the same command goes on from there.
    """
    from firstlight.lab.ceiling import TAPS, ceiling

    report = asked_of_copies("ceiling", ceiling, words, module, steps=steps, seconds=seconds, engine=engine, taps=TAPS)
    deliver_lab(context, report, form, output)
