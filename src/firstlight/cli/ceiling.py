"""`firstlight ceiling`: how low could the loss get, and what is in the way?"""

from pathlib import Path
from typing import Any

import click

from firstlight.cli.laboratory import asked_of_copies, deliver_lab, on_copies

STEPS = 300


@click.command("ceiling", context_settings={"allow_interspersed_args": False})
@on_copies(STEPS, least=20)
@click.pass_context
def command(context: click.Context, /, words: tuple[str, ...], form: str, output: Path | None, **asked: Any) -> None:
    """Measure how low the loss of a script can get, and name what keeps it from there.

    \b
    firstlight ceiling train.py --epochs 3
    firstlight ceiling --steps 1000 train.py

    Exit code: 0 it answered, 2 it could not, 130 interrupted: the same command goes on from there.
    """
    from firstlight.lab.ceiling import TAPS, ceiling

    report = asked_of_copies("ceiling", ceiling, words, **asked, taps=TAPS)
    deliver_lab(context, report, form, output)
