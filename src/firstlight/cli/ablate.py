"""`firstlight ablate`: which parts of a training matter?"""

import click

from firstlight.cli.rendering import words_in
from firstlight.cli.trial_options import Trials, on_trials
from firstlight.records.lab import LabReport


@click.command("ablate", context_settings={"allow_interspersed_args": False})
@click.option(
    "-n", "seeds", type=click.IntRange(min=1), default=5, show_default=True, help="Most seeds to run per part."
)
@click.option("--only", help="Test only these parts: names, separated by commas.")
@click.option("--worth", type=click.FloatRange(min=0), default=0.0, help="The smallest effect that matters to you.")
@on_trials("SCRIPT|COMMAND [ARGS]...")
def command(trials: Trials, seeds: int, only: str | None, worth: float) -> LabReport:
    """Switch off parts of a training one at a time, then add each alone to none: what matters, what hurts?

    \b
    firstlight ablate train.py --epochs 3
    firstlight ablate --only dropout,weight-decay -n 8 train.py

    Parts are weight-decay, dropout, label-smoothing, augmentation, schedule, clipping, normalisation, terms of
    the loss, and layers whose output has the shape of their input; those that the program has.

    Exit code: 0 measured, 2 could not be measured, 130 interrupted.
    """
    from firstlight.lab import ablate as lab
    from firstlight.lab.compare import CompareQuestion

    question = CompareQuestion(metric=trials.metric, better=trials.better, seeds=seeds, worth=worth)
    target = trials.script("ablate")
    with trials.session() as at_work:
        return at_work.finish(lab.of_runs(target, question, at_work.bench, words_in(only)))
