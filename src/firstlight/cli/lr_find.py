"""`firstlight lr-find`: which learning rate?"""

from pathlib import Path

import click

from firstlight.cli.check import ENGINE
from firstlight.cli.laboratory import asked_of_copies, deliver_lab, lab_form, lab_module, lab_output

STEPS = 300


@click.command("lr-find", context_settings={"allow_interspersed_args": False})
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
    """Find the learning rate by ramps and short trainings in copies of a script.

    \b
    firstlight lr-find train.py --epochs 3
    firstlight lr-find --format json train.py      # `suggested`, `low`, `high`

    Exit code: 0 it answered, 2 it could not, 130 interrupted: the same command goes on from there.
    """
    from firstlight.lab.lr_find import lr_find

    report = asked_of_copies("lr-find", lr_find, words, module, steps=steps, seconds=seconds, engine=engine)
    deliver_lab(context, report, form, output)
