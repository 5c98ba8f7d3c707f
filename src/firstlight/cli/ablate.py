"""`firstlight ablate`: which parts of a training matter?"""

import click

from firstlight.cli.rendering import words_in
from firstlight.cli.trial_options import Trials, on_trials
from firstlight.records.lab import LabReport


@click.command("ablate", context_settings={"allow_interspersed_args": False})
@click.option(
    "-n", "seeds", type=click.IntRange(min=1), default=5, show_default=True, help="At most so many seeds a part."
)
@click.option("--only", help="Only these parts: names, separated by commas.")
@click.option("--worth", type=click.FloatRange(min=0), default=0.0, help="The smallest effect that matters.")
@on_trials("SCRIPT|COMMAND [ARGS]...")
def command(trials: Trials, seeds: int, only: str | None, worth: float) -> LabReport:
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

    question = CompareQuestion(metric=trials.metric, better=trials.better, seeds=seeds, worth=worth)
    target = trials.script("ablate")
    with trials.session() as at_work:
        return at_work.finish(lab.of_runs(target, question, at_work.bench, words_in(only)))
