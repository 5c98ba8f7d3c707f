"""`firstlight against`: where does this implementation differ from that one?"""

import shlex
from pathlib import Path

import click

from firstlight.cli.laboratory import delivered, interruptible
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport
from firstlight.settings import load


@click.command("against")
@click.argument("mine", metavar="MINE")
@click.argument("reference", metavar="REFERENCE")
@delivered
def command(mine: str, reference: str) -> LabReport:
    """Run the first step of two scripts on the same weights and batch, and name the first call that differs.

    \b
    firstlight against mine.py reference.py
    firstlight against "mine.py --width 64" "reference.py --hidden 64"

    Parameters are matched by name, or else by shape and order. Exit code: 0 answered, 2 could not answer.
    """
    from firstlight.lab.against import against
    from firstlight.lab.keeping import kept
    from firstlight.observe import target as targets
    from firstlight.observe.watch import Eyes

    pair = [targets.parse(_words(text), module=False, verb="against") for text in (mine, reference)]
    settings = load(Path.cwd())
    with interruptible() as tell, kept((*pair[0].words, *pair[1].words)) as where:
        eyes = Eyes(tell, None, settings.startup_seconds)
        return where.finish(against(pair[0], pair[1], eyes, where.run))


def _words(text: str) -> tuple[str, ...]:
    """A script, or a script with its arguments in quotes."""
    if Path(text).is_file():
        return (text,)
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"`{text}` cannot be read as a command: {error}.") from None
