"""`firstlight curve`: what would more data or more steps bring?"""

from typing import Any

import click

from firstlight.cli.laboratory import asked_of_copies, delivered, on_copies
from firstlight.records.lab import LabReport

STEPS = 400


@click.command("curve", context_settings={"allow_interspersed_args": False})
@on_copies(STEPS, least=50)
@delivered
def command(words: tuple[str, ...], **asked: Any) -> LabReport:
    """Train copies of a script on parts of its data, and say what ten times more data or steps would bring.

    \b
    firstlight curve train.py --epochs 3
    firstlight curve --steps 2000 train.py

    Exit code: 0 answered, 2 could not answer, 130 interrupted (the same command continues from there).
    """
    from firstlight.lab.curve import curve

    return asked_of_copies("curve", curve, words, **asked)
