"""`firstlight lr-find`: which learning rate?"""

from typing import Any

import click

from firstlight.cli.laboratory import asked_of_copies, delivered, on_copies
from firstlight.records.lab import LabReport

STEPS = 300


@click.command("lr-find", context_settings={"allow_interspersed_args": False})
@on_copies(STEPS, least=20)
@delivered
def command(words: tuple[str, ...], **asked: Any) -> LabReport:
    """Find the learning rate by ramps and short trainings in copies of a script.

    \b
    firstlight lr-find train.py --epochs 3
    firstlight lr-find --format json train.py      # `suggested`, `low`, `high`

    Exit code: 0 answered, 2 could not answer, 130 interrupted (the same command continues from there).
    """
    from firstlight.lab.lr_find import lr_find

    return asked_of_copies("lr-find", lr_find, words, **asked)
