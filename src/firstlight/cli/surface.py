"""`firstlight surface`: what does the loss look like, around the weights or by itself?"""

from pathlib import Path

import click

from firstlight.cli.check import ENGINE
from firstlight.cli.laboratory import asked_of_copies, deliver_lab, interruptible, lab_form, lab_module, lab_output
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport

STEPS = 300


@click.command("surface", context_settings={"allow_interspersed_args": False})
@lab_module
@click.option("--steps", type=click.IntRange(min=20), default=STEPS, show_default=True, help="Length of a training.")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="Stop each training after so many seconds.")
@ENGINE
@click.option("--loss", "declared", metavar="MODULE:FUNCTION", help="A loss function alone, on made-up tensors.")
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
    declared: str | None,
    form: str,
    output: Path | None,
    words: tuple[str, ...],
) -> None:
    """Walk a copy of a script over its loss surface, or draw a loss function alone with its gradients.

    \b
    firstlight surface train.py --epochs 3
    firstlight surface --loss package.losses:focal

    Exit code: 0 it answered, 2 it could not, 130 interrupted: the same command goes on from there.
    """
    from firstlight.lab.surface import surface

    if declared is not None:
        deliver_lab(context, _of_loss(declared, words), form, output)
    report = asked_of_copies("surface", surface, words, module, steps=steps, seconds=seconds, engine=engine)
    deliver_lab(context, report, form, output)


def _of_loss(declared: str, words: tuple[str, ...]) -> LabReport:
    from firstlight.lab.keeping import kept
    from firstlight.lab.loss_card import loss_card

    if words:
        raise UsageError("`--loss` draws a loss function alone: name no script beside it.")
    with interruptible(), kept((declared,)) as where:
        return where.finish(loss_card(declared))
