"""`firstlight lr-find`: which learning rate?"""

from pathlib import Path
from typing import Any

import click

from firstlight.cli.laboratory import asked_of_copies, deliver_lab, on_copies

STEPS = 300


@click.command("lr-find", context_settings={"allow_interspersed_args": False})
@on_copies(STEPS, least=20)
@click.pass_context
def command(context: click.Context, /, words: tuple[str, ...], form: str, output: Path | None, **asked: Any) -> None:
    """Find the learning rate by ramps and short trainings in copies of a script.

    \b
    firstlight lr-find train.py --epochs 3
    firstlight lr-find --format json train.py      # `suggested`, `low`, `high`

    Exit code: 0 it answered, 2 it could not, 130 interrupted: the same command goes on from there.
    """
    from firstlight.lab.lr_find import lr_find

    report = asked_of_copies("lr-find", lr_find, words, **asked)
    deliver_lab(context, report, form, output)
