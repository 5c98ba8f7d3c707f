"""`firstlight seeds`: how far apart are runs that differ in nothing but luck?"""

import click

from firstlight.cli.rendering import words_in
from firstlight.cli.trial_options import Trials, on_trials
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport
from firstlight.settings import nearest


@click.command("seeds", context_settings={"allow_interspersed_args": False})
@click.option("-n", "seeds", type=click.IntRange(min=2), default=8, show_default=True, help="Number of seeds.")
@click.option("--sources", help="Vary only these, one at a time: init, order, dropout, data; or `none`.  [all]")
@click.option("--each", type=click.IntRange(min=2), help="Runs for each source.  [half as many as seeds]")
@on_trials("SCRIPT|COMMAND [ARGS]...")
def command(trials: Trials, seeds: int, sources: str | None, each: int | None) -> LabReport:
    """Run a training script with several seeds: how far apart are the results, and which source of luck is it?

    \b
    firstlight seeds train.py --epochs 3
    firstlight seeds -n 16 --metric val/acc train.py
    firstlight seeds --sources none train.py       # only the spread

    Initialization, order, dropout and data are varied one at a time. Runs with the same seed are compared operation by
    operation, to name the line at which they diverge.

    Exit code: 0 measured, 2 could not be measured, 130 interrupted.
    """
    from firstlight.lab import seeds as lab

    question = lab.SeedsQuestion(
        metric=trials.metric, better=trials.better, seeds=seeds, sources=_sources(sources), each=each
    )
    target = trials.script("seeds")
    with trials.session() as at_work:
        return at_work.finish(lab.of_runs(target, question, at_work.bench))


def _sources(text: str | None) -> tuple[str, ...]:
    from firstlight.experiments.inside.seeding import SOURCES

    names = words_in(text)
    if names is None:
        return SOURCES
    if names == ("none",):
        return ()
    for name in names:
        if name not in SOURCES:
            raise UsageError(
                f"`--sources`: `{name}` is not a source{nearest(name, SOURCES)} They are {', '.join(SOURCES)}."
            )
    return names
