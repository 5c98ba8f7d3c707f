"""`firstlight surface`: what does the loss look like, around the weights or by itself?"""

from typing import Any

import click

from firstlight.cli.laboratory import asked_of_copies, delivered, interruptible, on_copies
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport

STEPS = 300


@click.command("surface", context_settings={"allow_interspersed_args": False})
@on_copies(STEPS, least=20)
@click.option("--loss", "declared", metavar="MODULE:FUNCTION", help="Draw a loss function alone, on made-up tensors.")
@delivered
def command(words: tuple[str, ...], declared: str | None, **asked: Any) -> LabReport:
    """Walk a copy of a script over its loss surface, or draw a loss function alone with its gradients.

    \b
    firstlight surface train.py --epochs 3
    firstlight surface --loss package.losses:focal

    Exit code: 0 answered, 2 could not answer, 130 interrupted (the same command continues from there).
    """
    from firstlight.lab.surface import surface

    return asked_of_copies("surface", surface, words, **asked) if declared is None else _of_loss(declared, words)


def _of_loss(declared: str, words: tuple[str, ...]) -> LabReport:
    from firstlight.lab.keeping import kept
    from firstlight.lab.loss_card import loss_card

    if words:
        raise UsageError("`--loss` draws a loss function alone: leave out the script.")
    with interruptible(), kept((declared,)) as where:
        return where.finish(loss_card(declared))
