"""`firstlight ablate`: which parts of a training matter?"""

from pathlib import Path
from typing import Any

import click

from firstlight.cli.laboratory import deliver_lab, lab_module
from firstlight.cli.rendering import words_in
from firstlight.cli.trial_options import choices, script, session, trial_options


@click.command("ablate", context_settings={"allow_interspersed_args": False})
@lab_module
@click.option(
    "-n", "seeds", type=click.IntRange(min=1), default=5, show_default=True, help="At most so many seeds a part."
)
@click.option("--only", help="Only these parts: names, separated by commas.")
@click.option("--worth", type=click.FloatRange(min=0), default=0.0, help="The smallest effect that matters.")
@trial_options
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT|COMMAND [ARGS]...")
@click.pass_context
def command(
    context: click.Context,
    /,
    module: bool,
    seeds: int,
    only: str | None,
    worth: float,
    metric: str | None,
    better: str | None,
    form: str,
    output: Path | None,
    words: tuple[str, ...],
    **how: Any,
) -> None:
    """Switch parts of a training off, one at a time, then add each back to nothing: what matters, what hurts?

    \b
    firstlight ablate train.py --epochs 3
    firstlight ablate --only dropout,weight-decay -n 8 train.py

    Parts are weight-decay, dropout, label-smoothing, augmentation, schedule, clipping, normalisation, the terms of
    the loss, and layers that keep the shape of what they are given; those that the program has.

    Exit code: 0 it was measured, 2 it could not be, 130 interrupted.
    """
    from firstlight.lab import ablate as lab
    from firstlight.lab.compare import CompareQuestion

    question = CompareQuestion(metric=metric, better=better, seeds=seeds, worth=worth)
    target = script(words, module, "ablate")
    with session(words, choices(**how)) as at_work:
        report = at_work.finish(lab.of_runs(target, question, at_work.bench, words_in(only)))
    deliver_lab(context, report, form, output)
